internal import Readings

/// What a source of samples really did: the truth by which the streams of clients are judged.
final class SourceLog {
    struct Entry {
        let stamp: Int64
        /// When the broker could know it.
        let at: Int64
        /// Which opening of the source it belongs to, and its number in that.
        let opening: Int
        let number: UInt64
    }

    /// What becomes of a source in the eyes of a client.
    enum State {
        case present
        case unplugged
        case released
    }

    private(set) var entries: [Entry] = []
    private(set) var opening = 0
    var isPlugged = true
    var isReleased = false
    private var next: UInt64 = 0

    var state: State { isReleased ? .released : isPlugged ? .present : .unplugged }

    /// The source is opened: its samples are counted from 0.
    func open() { (opening, next) = (opening + 1, 0) }

    func add(_ stamp: Int64, at now: Int64) {
        entries.append(Entry(stamp: stamp, at: now, opening: opening, number: next))
        next += 1
    }

    /// So many samples are lost, and reported as lost.
    func lose(_ count: Int) { next += UInt64(count) }

    /// The sample with a stamp.
    func entry(_ stamp: Int64) -> Entry? {
        let index = index(of: stamp)
        return index < entries.count && entries[index].stamp == stamp ? entries[index] : nil
    }

    /// The longest time without a sample between two instants, if the source was opened once; nil: it was opened again.
    func longestHole(from start: Int64, to end: Int64) -> Int64? {
        var longest: Int64 = 0
        var last = start
        var opening: Int?
        for index in index(of: start)..<entries.count {
            let entry = entries[index]
            if let opening, opening != entry.opening { return nil }
            opening = entry.opening
            longest = max(longest, min(entry.stamp, end) - last)
            last = entry.stamp
            if entry.stamp >= end { return longest }
        }
        return max(longest, end - last)
    }

    private func index(of stamp: Int64) -> Int {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].stamp < stamp { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
