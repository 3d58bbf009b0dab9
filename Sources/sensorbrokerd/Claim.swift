internal import Platform
internal import Synchronization

/// Where a kind of device is, with the right to it.
///
/// The loop changes it; the devices' threads follow when they make their drivers, and hold the right to what they drive until
/// then.
final class Claim<Source: Equatable & Sendable>: Sendable {
    /// A source, and the locks that keep other brokers from it; no locks until its host name is resolved.
    struct Holding: Sendable {
        let source: Source
        let locks: [HardwareLock]
    }

    private let wanted: Mutex<Holding>

    /// A claim to a source.
    init(_ holding: Holding) { wanted = Mutex(holding) }

    /// What is claimed now.
    var holding: Holding { wanted.withLock { $0 } }

    /// Claims something else; whoever drives the former is to be told.
    func move(to holding: Holding) { wanted.withLock { $0 = holding } }

    /// The same source has other addresses now.
    ///
    /// Does nothing if another source has been claimed meanwhile.
    private func renew(_ source: Source, _ locks: [HardwareLock]) {
        wanted.withLock { if $0.source == source { $0 = Holding(source: source, locks: locks) } }
    }

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

        /// Holds the locks for the current addresses of this thread's source.
        func hold(_ locks: [HardwareLock]) {
            let source = held.withLock { (held) -> Source? in
                guard let source = held?.source else { return nil }
                held = Holding(source: source, locks: locks)
                return source
            }
            if let source { claim.renew(source, locks) }
        }
    }
}
