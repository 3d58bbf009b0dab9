internal import Synchronization

/// Where a kind of device is, with the right to it.
///
/// The loop changes it; the devices' threads follow when they make their drivers, and hold the right to what they drive until
/// then.
final class Claim<Source: Equatable & Sendable>: Sendable {
    /// A source, and the lock that keeps other brokers from it.
    struct Holding: Sendable {
        let source: Source
        let lock: HardwareLock?
    }

    private let wanted: Mutex<Holding>

    /// A claim to a source.
    init(_ holding: Holding) { wanted = Mutex(holding) }

    /// What is claimed now.
    var holding: Holding { wanted.withLock { $0 } }

    /// Claims something else; who drives the former is to be told.
    func move(to holding: Holding) { wanted.withLock { $0 = holding } }

    /// A thread's share in the claim.
    func share() -> Share { Share(self) }

    /// What one thread holds of it.
    final class Share: Sendable {
        private let claim: Claim
        private let held = Mutex<Holding?>(nil)

        fileprivate init(_ claim: Claim) { self.claim = claim }

        /// The source as it is claimed by now; what this thread held before is given up, for its driver is closed.
        func renew() -> Source {
            let holding = claim.holding
            held.withLock { $0 = holding }
            return holding.source
        }
    }
}
