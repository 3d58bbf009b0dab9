internal import Synchronization

/// A flag that a sender sets when it has something new; a turn looks at that of all senders, not at each.
///
/// Atomic, because a sender may be a thread. That sets it in the lock under which it adds the new thing, and the loop clears it before
/// it takes this lock to look: so nothing is overlooked.
public final class LoopFlag: Sendable {
    private let isRaised = Atomic<Bool>(false)
    /// The flag of all senders, set with this one.
    private let all: LoopFlag?

    /// A flag that is not set; `all` is set with it.
    public init(among all: LoopFlag? = nil) { self.all = all }

    /// Whether there may be something new.
    public var isSet: Bool { isRaised.load(ordering: .relaxed) }

    /// There is something new.
    public func set() {
        isRaised.store(true, ordering: .relaxed)
        all?.set()
    }

    /// Whether there may be something new; the flag is cleared.
    public func take() -> Bool {
        guard isSet else { return false }
        isRaised.store(false, ordering: .relaxed)
        return true
    }
}
