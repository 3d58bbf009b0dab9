/// Picks those of a sequence of timed items whose times increase.
///
/// One item waits until the next one has come: if that is earlier, although it is later than all before, then the waiting one had a
/// wrong time, such as a date in the future. So a single wrong time costs one item, and not all that follow. The first item is dropped
/// as well if the next one is more than a year later: receivers begin with a date of their factory.
struct IncreasingTimes<Item> {
    typealias Timed = (time: Int64, item: Item)

    private let longestJump: Int64
    private var last: Int64?
    /// The item that waits.
    private(set) var waiting: Timed?

    /// For times that jump by so much at most.
    init(longestJump: Int64) { self.longestJump = longestJump }

    /// Adds an item with its time; returns one that has its place now, and one that has none.
    mutating func add(_ item: Item, at time: Int64) -> (next: Timed?, dropped: Item?) {
        guard let before = waiting else {
            guard last.map({ time > $0 }) ?? true else { return (nil, item) }
            waiting = (time, item)
            return (nil, nil)
        }
        let isFirstWrong =
            last == nil && time != before.time && (time < before.time || time.isFar(before.time, longestJump))
        if time > before.time, !isFirstWrong {
            assert(last.map { before.time > $0 } ?? true, "Times go on in order.")
            last = before.time
            waiting = (time, item)
            return (before, nil)
        }
        guard isFirstWrong || last.map({ time > $0 && time < before.time }) ?? false else { return (nil, item) }
        waiting = (time, item)
        return (nil, before.item)
    }

    /// The item that still waits, when no other one follows.
    mutating func finish() -> Timed? {
        defer { waiting = nil }
        last = waiting?.time ?? last
        return waiting
    }
}

/// Picks those items of several sensors whose times increase, each sensor's for themselves.
///
/// The first item that is given is the earliest of all, so that times can be counted from it: when a sensor's first item has its place,
/// earlier ones of other sensors go before it. What comes later, with a time before that, has no place.
package struct SensorTimes<Item> {
    private typealias Timed = IncreasingTimes<Item>.Timed

    private let longestJump: Int64
    private var sensors: [Int: IncreasingTimes<Item>] = [:]
    /// The time of the first item that was given.
    private var start: Int64?

    /// For times in a unit, of which there are so many in a second.
    package init(unitsPerSecond: Int64) { longestJump = 366 * 86_400 * unitsPerSecond }

    /// Adds an item of a sensor with its time; returns those that have their places now, and those that have none.
    package mutating func add(_ item: Item, at time: Int64, of sensor: Int) -> (next: [Item], dropped: [Item]) {
        let (next, refused) = sensors[sensor, default: IncreasingTimes(longestJump: longestJump)].add(item, at: time)
        let dropped = refused.map { [$0] } ?? []
        guard let next else { return ([], dropped) }
        if let start { return next.time < start ? ([], dropped + [next.item]) : ([next.item], dropped) }
        let earlier = finish { $0.time < next.time }
        // A date of the factory is none, whichever sensor has it.
        let wrong = earlier.prefix { next.time.isFar($0.time, longestJump) }
        let first = earlier.dropFirst(wrong.count) + [next]
        start = first.first?.time
        assert(zip(first, first.dropFirst()).allSatisfy { $0.time <= $1.time }, "What has its place is in order.")
        return (first.map(\.item), dropped + wrong.map(\.item))
    }

    /// Those that still wait, when no others follow.
    package mutating func finish() -> (next: [Item], dropped: [Item]) {
        let last = finish { _ in true }
        let begin = start ?? .min
        return (last.filter { $0.time >= begin }.map(\.item), last.filter { $0.time < begin }.map(\.item))
    }

    /// The waiting items that are meant, the earliest first.
    private mutating func finish(_ isMeant: (Timed) -> Bool) -> [Timed] {
        sensors.keys.filter { sensors[$0]?.waiting.map(isMeant) ?? false }.sorted()
            .compactMap { sensors[$0]?.finish() }.enumerated().sorted {
                ($0.element.time, $0.offset) < ($1.element.time, $1.offset)
            }
            .map(\.element)
    }
}

extension Int64 {
    /// Whether two times lie further apart than this.
    fileprivate func isFar(_ other: Int64, _ most: Int64) -> Bool {
        let (distance, overflow) = subtractingReportingOverflow(other)
        return overflow || distance.magnitude > UInt64(most)
    }
}
