internal import Synchronization

/// The source of a kind of device, such as the address of gpsd, with the locks that allow its use.
///
/// The loop changes it. The devices' threads follow when they create their drivers, and until then keep the locks of
/// what they drive.
final class Claim<Source: Equatable & Sendable>: Sendable {
    /// A source, and the locks that exclude other brokers from it; no locks until its host name is resolved.
    struct Holding: Sendable {
        let source: Source
        let locks: [HardwareLock]
    }

    private let wanted: Mutex<Holding>

    init(_ holding: Holding) { wanted = Mutex(holding) }

    var holding: Holding { wanted.withLock { $0 } }

    /// Changes the source; the devices' threads must be notified.
    func move(to holding: Holding) { wanted.withLock { $0 = holding } }

    /// Replaces the locks, since the source has other addresses now.
    ///
    /// Does nothing if the source has changed meanwhile.
    private func renew(_ source: Source, _ locks: [HardwareLock]) {
        wanted.withLock { if $0.source == source { $0 = Holding(source: source, locks: locks) } }
    }

    func share() -> Share { Share(self) }

    /// The part of a claim that one thread holds.
    final class Share: Sendable {
        private let claim: Claim
        private let held = Mutex<Holding?>(nil)

        fileprivate init(_ claim: Claim) { self.claim = claim }

        /// Moves to the present source and returns it.
        ///
        /// What the thread held before is released, since its driver is closed.
        func renew() -> Source {
            let holding = claim.holding
            held.withLock { $0 = holding }
            return holding.source
        }

        /// Holds the locks for the present addresses of the source.
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
