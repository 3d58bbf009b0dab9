internal import Readings

/// Where the path of a resource is broken: at gaps, where the resource did not work, where its device was opened again, and at the
/// beginning of a session.
///
/// In a recording a gap, or a state, stands before the readings that came with it, although some of them may be older.
struct PathBreaks {
    /// More of them never wait, except in a file that no recorder wrote.
    private static let mostWaiting = 1_000

    /// The path is broken before the first reading that is later than one of these.
    private var waiting: [Int64] = []
    private var lastSequence: Int64?

    mutating func note(_ gap: Gap) { wait(for: gap.from.nanoseconds) }

    /// A state without a time holds from the reading before it on.
    mutating func note(_ state: ResourceState, at instant: Int64?) {
        switch state {
        case .unavailable, .released: wait(for: instant.map { $0 - 1 } ?? .min)
        default: return
        }
    }

    mutating func beginSession() { (waiting, lastSequence) = ([.min], nil) }

    /// Whether the path is broken before a reading.
    mutating func isBroken(before stamp: Int64, sequence: Int64) -> Bool {
        let isOpened = lastSequence.map { sequence <= $0 } ?? false
        lastSequence = sequence
        guard waiting.contains(where: { $0 < stamp }) else { return isOpened }
        waiting.removeAll { $0 < stamp }
        return true
    }

    private mutating func wait(for instant: Int64) {
        if waiting.count == Self.mostWaiting { waiting = [waiting.min() ?? instant] }
        waiting.append(instant)
    }
}
