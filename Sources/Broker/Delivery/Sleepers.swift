internal import Readings

/// Which lanes of a resource sleep until they are due, and which are awake.
///
/// In most lanes, a sample that is not due changes nothing except which sample is the newest, and a lane can catch up on that
/// when it wakes. So a sample is offered only to the lanes that are awake, and wakes those for which it may be due: a handful of
/// a thousand lanes with different intervals.
struct Sleepers: Sendable {
    /// The lanes to which the next sample is offered, in order.
    private(set) var awake: [LaneIndex] = []
    /// When each lane that sleeps is due.
    private var asleep = Deadlines()

    var isEmpty: Bool { asleep.isEmpty }
    var firstDue: BootTime? { asleep.first?.instant }

    /// From now on there are this many lanes, all awake.
    mutating func begin(with count: Int) {
        asleep.removeAll()
        awake.removeAll(keepingCapacity: true)
        awake.append(contentsOf: LaneIndex.first(count))
    }

    /// A further lane comes, and is awake.
    mutating func add(_ lane: LaneIndex) {
        assert(awake.last.map { $0 < lane } ?? true, "a lane that comes is the last one")
        awake.append(lane)
    }

    /// Lanes go, which are given in order; those behind them move up.
    mutating func remove(_ lanes: [LaneIndex]) {
        guard !lanes.isEmpty else { return }
        var (gone, kept) = (0, 0)
        for position in awake.indices {
            let lane = awake[position]
            while gone < lanes.count, lanes[gone] < lane { gone += 1 }
            guard gone == lanes.count || lanes[gone] != lane else { continue }
            awake[kept] = LaneIndex(lane.number - gone)
            kept += 1
        }
        awake.removeLast(awake.count - kept)
        asleep.close(up: lanes.map(\.number))
    }

    /// Calls a function for each lane that is awake; if it returns when the lane is due, the lane sleeps from now on.
    mutating func offer(_ due: (_ lane: LaneIndex) -> BootTime?) {
        var kept = 0
        for position in awake.indices {
            let lane = awake[position]
            if let due = due(lane) {
                asleep.set(due, of: lane.number)
            } else {
                if kept < position { awake[kept] = lane }
                kept += 1
            }
        }
        if kept < awake.count { awake.removeLast(awake.count - kept) }
    }

    mutating func wake(dueBy instant: BootTime, _ wakes: (_ lane: LaneIndex) -> Void) {
        var isInOrder = true
        while let (number, due) = asleep.first, due <= instant {
            let lane = LaneIndex(number)
            asleep.set(nil, of: number)
            wakes(lane)
            if let last = awake.last, lane < last { isInOrder = false }
            awake.append(lane)
        }
        // Lanes wake in the order of their due times.
        if !isInOrder { awake.sort() }
    }

    mutating func wakeAll(_ wakes: (_ lane: LaneIndex) -> Void) {
        guard !asleep.isEmpty else { return }
        for lane in asleep.slots { wakes(LaneIndex(lane)) }
        begin(with: awake.count + asleep.count)
    }
}
