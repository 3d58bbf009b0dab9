internal import Synchronization

/// Whether any of several senders in the loop has something new: each turn asks this once, and not every one of them.
///
/// Atomic, because a channel is shared by threads, though these are only used in the loop.
public final class LoopNews: Sendable {
    private let isNoted = Atomic<Bool>(false)
    /// The news of all senders, noted with this one's.
    private let all: LoopNews?

    /// No news yet; `all` is noted as well.
    public init(among all: LoopNews? = nil) { self.all = all }

    /// Whether there may be some.
    public var areThere: Bool { isNoted.load(ordering: .relaxed) }

    /// There are some.
    public func note() {
        isNoted.store(true, ordering: .relaxed)
        all?.note()
    }

    /// Whether there may be some; they count as heard from now on.
    public func take() -> Bool {
        guard areThere else { return false }
        isNoted.store(false, ordering: .relaxed)
        return true
    }
}
