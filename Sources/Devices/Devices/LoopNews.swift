internal import Synchronization

/// Whether any of several channels whose senders are in the loop has events: each turn asks this once, and not every channel.
///
/// Atomic, because a channel is shared by threads, though these are only used in the loop.
public final class LoopNews: Sendable {
    private let isNoted = Atomic<Bool>(false)

    /// No news.
    public init() {}

    /// Whether there may be some.
    public var areThere: Bool { isNoted.load(ordering: .relaxed) }

    /// There are some.
    public func note() { isNoted.store(true, ordering: .relaxed) }

    /// Whether there may be some; whoever asks looks at all channels.
    public func take() -> Bool {
        guard areThere else { return false }
        isNoted.store(false, ordering: .relaxed)
        return true
    }
}
