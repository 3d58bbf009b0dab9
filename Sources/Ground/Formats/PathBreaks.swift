public import Readings

/// Where the path of a resource is broken, whatever it is written as: at gaps, where there was no position, at long pauses, where the
/// resource did not work, where its device was opened again, and at the beginning of a session.
///
/// In a recording a gap, or a state, stands before the readings that came with it, although some of them may be older.
public struct PathBreaks {
    /// More of them never wait, except in a file that no recorder wrote.
    private static let mostWaiting = 1_000

    /// The path is broken before the first reading that is later than one of these.
    private var waiting: [Int64] = []
    private var lastSequence: Int64?
    private var last: Int64?
    private var wasLost = false
    private var spacing = UsualSpacing()

    /// Creates the breaks of a path that has not begun.
    public init() {}

    /// Readings are missing.
    public mutating func note(_ gap: Gap) { wait(for: gap.from.nanoseconds) }

    /// A state without a time holds from the reading before it on.
    public mutating func note(_ state: ResourceState, at instant: Int64?) {
        switch state {
        case .unavailable, .released: wait(for: instant.map { $0 - 1 } ?? .min)
        default: return
        }
    }

    /// Times and numbers begin again.
    public mutating func beginSession() { (waiting, lastSequence, last) = ([.min], nil, nil) }

    /// Whether the path is broken before a reading.
    public mutating func isBroken(before stamp: Int64, sequence: Int64, hasPosition: Bool) -> Bool {
        let isOpened = lastSequence.map { sequence <= $0 } ?? false
        let isPause = last.map { spacing.add(stamp.subtractingReportingOverflow($0).partialValue) } ?? false
        let isLost = wasLost || !hasPosition
        (lastSequence, last, wasLost) = (sequence, stamp, !hasPosition)
        guard waiting.contains(where: { $0 < stamp }) else { return isOpened || isPause || isLost }
        waiting.removeAll { $0 < stamp }
        return true
    }

    private mutating func wait(for instant: Int64) {
        if waiting.count == Self.mostWaiting { waiting = [waiting.min() ?? instant] }
        waiting.append(instant)
    }
}
