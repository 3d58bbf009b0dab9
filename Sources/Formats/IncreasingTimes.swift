/// Picks those of a sequence of timed items whose times increase.
///
/// One item waits until the next one has come: if that is earlier, although it is later than all before, then the waiting one had a
/// wrong time, such as a date in the future. So a single wrong time costs one item, and not all that follow. The first item is dropped
/// if the next one is more than a year away: receivers begin with a date of their factory.
package struct IncreasingTimes<Item> {
    private let longestJump: Int64
    private var last: Int64?
    private var waiting: (time: Int64, item: Item)?

    /// For times in a unit, of which there are so many in a second.
    package init(unitsPerSecond: Int64) { longestJump = 366 * 86_400 * unitsPerSecond }

    /// Adds an item with its time; returns one that has its place now, and one that has none.
    package mutating func add(_ item: Item, at time: Int64) -> (next: Item?, dropped: Item?) {
        guard let before = waiting else {
            guard last.map({ time > $0 }) ?? true else { return (nil, item) }
            waiting = (time, item)
            return (nil, nil)
        }
        let isFirstWrong = last == nil && isFar(before.time, time)
        if time > before.time, !isFirstWrong {
            last = before.time
            waiting = (time, item)
            return (before.item, nil)
        }
        guard isFirstWrong || last.map({ time > $0 && time < before.time }) ?? false else { return (nil, item) }
        waiting = (time, item)
        return (nil, before.item)
    }

    /// The item that still waits, when no other one follows.
    package mutating func finish() -> Item? {
        defer { waiting = nil }
        last = waiting?.time ?? last
        return waiting?.item
    }

    private func isFar(_ one: Int64, _ other: Int64) -> Bool {
        let (distance, overflow) = one.subtractingReportingOverflow(other)
        return overflow || distance.magnitude > UInt64(longestJump)
    }
}
