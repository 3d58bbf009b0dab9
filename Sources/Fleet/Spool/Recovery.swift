/// What was found when a spool was opened.
public struct SpoolRecovery: Equatable, Sendable {
    /// The epoch before; nil for a new spool.
    public internal(set) var epoch: Identity?
    /// The last number of each of its streams, as far as it is known.
    public internal(set) var last: [String: UInt64] = [:]
    /// Whether its program ended in order.
    public internal(set) var hasEnd = false
    /// The boot of the host in which it ran.
    public internal(set) var bootID: Identity?
    /// How many bytes were not as they were written.
    public internal(set) var damagedBytes = 0
    /// Whether some stream may have had more numbers than are known.
    public var hasUnknownEnd: Bool { isLastUnreadable || !unknownEnds.isEmpty }

    /// The streams that may have had more numbers than `last`.
    var unknownEnds: Set<String> = []
    /// Whether the newest segment cannot be read at all.
    var isLastUnreadable = false
    /// The epoch before that one.
    var earlier: SegmentHead.Former?

    /// Where the numbers of a stream ended, in the newest epoch that had any; nil if there was none.
    public func end(of stream: String) -> (epoch: Identity, last: UInt64, isUnknown: Bool)? {
        guard let epoch else { return nil }
        let isUnknown = isLastUnreadable || unknownEnds.contains(stream)
        let last = last[stream] ?? 0
        if last == 0, !isUnknown, let earlier, let before = earlier.last[stream] {
            return (earlier.epoch, before, false)
        }
        return (epoch, last, isUnknown)
    }

    /// Whether an epoch is one of those before.
    public func names(_ other: Identity) -> Bool { other == epoch || other == earlier?.epoch }

    /// What the heads of the next epoch state: a program that numbered nothing was no epoch.
    var former: SegmentHead.Former? {
        guard let epoch else { return nil }
        if let earlier, last.values.allSatisfy({ $0 == 0 }) { return earlier }
        return SegmentHead.Former(epoch: epoch, last: last)
    }
}
