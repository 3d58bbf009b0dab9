internal import Readings

/// Which lanes of a resource sleep until they are due, and which are awake.
///
/// In most lanes, a sample that is not due changes nothing except which sample is the newest, and a lane can catch up on that
/// when it wakes. So a sample is offered only to the lanes that are awake, and wakes those for which it may be due: a handful of
/// a thousand lanes with different intervals. Lanes are identified by their places.
struct Sleepers: Sendable {
    private struct Sleeper {
        let lane: Int
        let due: BootTime
    }

    /// The lanes to which the next sample is offered, in order.
    private(set) var awake: [Int] = []
    /// A heap: no lane is due before its parent, which is at half its place.
    private var asleep: [Sleeper] = []

    /// Whether no lane sleeps.
    var isEmpty: Bool { asleep.isEmpty }
    /// When the first sleeping lane is due.
    var firstDue: BootTime? { asleep.first?.due }

    /// From now on there are this many lanes, all awake.
    mutating func begin(with count: Int) {
        asleep.removeAll(keepingCapacity: true)
        awake.removeAll(keepingCapacity: true)
        awake.append(contentsOf: 0..<count)
    }

    /// Calls a function for each lane that is awake; if it returns when the lane is due, the lane sleeps from now on.
    mutating func offer(_ due: (_ lane: Int) -> BootTime?) {
        var kept = 0
        for place in awake.indices {
            let lane = awake[place]
            if let due = due(lane) {
                insert(Sleeper(lane: lane, due: due))
            } else {
                if kept < place { awake[kept] = lane }
                kept += 1
            }
        }
        if kept < awake.count { awake.removeLast(awake.count - kept) }
    }

    /// Wakes the lanes that are due by an instant.
    mutating func wake(dueBy instant: BootTime, _ wakes: (_ lane: Int) -> Void) {
        var isInOrder = true
        while let first = asleep.first, first.due <= instant {
            removeFirst()
            wakes(first.lane)
            if let last = awake.last, first.lane < last { isInOrder = false }
            awake.append(first.lane)
        }
        // They wake in the order of their due times.
        if !isInOrder { awake.sort() }
    }

    /// Wakes all.
    mutating func wakeAll(_ wakes: (_ lane: Int) -> Void) {
        guard !asleep.isEmpty else { return }
        for sleeper in asleep { wakes(sleeper.lane) }
        begin(with: awake.count + asleep.count)
    }

    // MARK: the heap

    private mutating func insert(_ sleeper: Sleeper) {
        asleep.append(sleeper)
        var place = asleep.count - 1
        while place > 0 {
            let parent = (place - 1) / 2
            guard sleeper.due < asleep[parent].due else { break }
            asleep[place] = asleep[parent]
            place = parent
        }
        asleep[place] = sleeper
    }

    private mutating func removeFirst() {
        let sinking = asleep.removeLast()
        guard !asleep.isEmpty else { return }
        var place = 0
        while true {
            var child = 2 * place + 1
            guard child < asleep.count else { break }
            if child + 1 < asleep.count, asleep[child + 1].due < asleep[child].due { child += 1 }
            guard asleep[child].due < sinking.due else { break }
            asleep[place] = asleep[child]
            place = child
        }
        asleep[place] = sinking
    }
}
