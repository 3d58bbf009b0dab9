public import Readings

/// What a client of a lane has missed and is still to be reported to it: one gap for each cause, so it is bounded.
public struct GapTally: Equatable, Sendable {
    /// The gaps to report, one for each cause.
    public private(set) var gaps: [Gap] = []
    /// The end of the slow client's gap before the newest reading was added to it.
    private var untilBeforeNewest: BootTime?

    /// True if there is nothing to report.
    public var isEmpty: Bool { gaps.isEmpty }

    /// Whether a reading that counts as lost may still be delivered: the newest one that found the socket full.
    var mayShrink: Bool { gaps.contains { $0.cause == .slowClient } }

    /// Readings found the client's socket full; they are in order and not empty.
    mutating func addMissed(_ readings: SampleList) {
        guard let first = readings.first, let last = readings.last else { return }
        let previous = readings.dropLast().last?.timestamp
        untilBeforeNewest = previous ?? gaps.first { $0.cause == .slowClient }?.until
        add(Gap(cause: .slowClient, count: readings.count, from: first.timestamp, until: last.timestamp))
    }

    /// Nothing to report.
    public init() {}

    /// A gap could not be reported at once.
    public mutating func add(_ gap: Gap) {
        guard let index = gaps.firstIndex(where: { $0.cause == gap.cause }) else {
            gaps.append(gap)
            return
        }
        gaps[index].formUnion(gap)
    }

    /// Empties the tally, oldest gap first; the newest missed reading is left out if it is delivered after all.
    mutating func take(deliveringNewest: Bool) -> [Gap] {
        defer { self = GapTally() }
        guard deliveringNewest, let index = gaps.firstIndex(where: { $0.cause == .slowClient }) else { return gaps }
        if let count = gaps[index].count, count > 1, let until = untilBeforeNewest {
            gaps[index].count = count - 1
            gaps[index].until = until
        } else {
            gaps.remove(at: index)
        }
        return gaps
    }
}
