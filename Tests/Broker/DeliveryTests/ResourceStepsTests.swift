import Readings
import Simulation
import Testing

@testable import Delivery

/// The times between the readings of a client that changes its interval again and again, while the device samples evenly.
@Suite("The steps of a client that changes its interval at random") struct ResourceStepsTests {
    private static let period: Int64 = 10

    /// One client's readings, each with the interval at which it was due.
    private struct Run {
        enum Place: Equatable {
            /// The first after a change, when so much of it was over already.
            case first(over: Int64)
            /// The one after that, which may have been sent at once, or with the next sample, and not on the grid.
            case second
            case later
        }

        struct Step {
            let nanoseconds: Int64
            let interval: Int64
            let place: Place
        }

        private(set) var steps: [Step] = []
        private var last: Int64?
        private var place = Place.first(over: 0)
        private var interval: Int64

        init(interval: Int64) { self.interval = interval }

        mutating func change(to interval: Int64, at now: BootTime) {
            self.interval = interval
            place = .first(over: now.nanoseconds - (last ?? now.nanoseconds))
        }

        mutating func take(_ reading: Sample) {
            let time = reading.timestamp.nanoseconds
            if let last { steps.append(Step(nanoseconds: time - last, interval: interval, place: place)) }
            if case .first = place { place = .second } else { place = .later }
            last = time
        }
    }

    @Test("with grants of its own: the first has at most 1.5 intervals and a period, the others are exact")
    func alone() {
        for seed: UInt64 in 0..<40 {
            let steps = Self.steps(beside: [], seed: seed)
            Self.check(steps, firstAtMost: { $0 + $0 / 2 + Self.period }, seed)
        }
    }

    @Test("with grants that others have as well: the first has at most 2 intervals and a period, the others are exact")
    func shared() {
        for seed: UInt64 in 0..<40 {
            let steps = Self.steps(beside: [33, 70, 125, 400], seed: seed)
            Self.check(steps, firstAtMost: { 2 * $0 + Self.period }, seed)
        }
    }

    private static func check(_ steps: [Run.Step], firstAtMost most: (Int64) -> Int64, _ seed: UInt64) {
        #expect(steps.count > 300)
        for step in steps {
            let isRight =
                switch step.place {
                case .first(let over): step.nanoseconds <= max(most(step.interval), over + period)
                case .second: step.nanoseconds <= step.interval + period
                case .later: abs(step.nanoseconds - step.interval) <= period
                }
            #expect(isRight, "\(step) of seed \(seed)")
        }
    }

    /// The steps of client 1, beside others with constant intervals.
    private static func steps(beside others: [Int64], seed: UInt64) -> [Run.Step] {
        var chance = Dice(seed: seed)
        var resource = Resource.open(.acceleration)
        for (number, interval) in others.enumerated() {
            _ = resource.join(Client(2 + number), grant(interval, resource), now: at(0))
        }
        let choices = others + [33, 70, 125, 400, 11, 250]
        var run = Run(interval: 33)
        _ = resource.join(1, grant(33, resource), now: at(0))
        for index: UInt64 in 0..<6_000 {
            let now = at(Int64(index) * period)
            resource.accept(Samples.acceleration(index, at: now.nanoseconds), now: now)
            deliver(&resource, &run)
            guard chance.oneIn(40) else { continue }
            let interval = chance.pick(choices)
            // Between two samples.
            let then = now + chance.between(0, period - 1)
            let changed = grant(interval, resource)
            guard resource.lanes.withLane(of: 1, { lane, _ in lane.grant != changed }) == true else { continue }
            let former = resource.leave(1)
            run.change(to: interval, at: then)
            if let newest = resource.join(1, changed, now: then, inheriting: former) {
                run.take(newest)
                _ = resource.lanes.withLane(of: 1) { lane, member in lane.members[member].didDeliver(alone: newest) }
            }
        }
        return run.steps
    }

    private static func deliver(_ resource: inout Resource, _ run: inout Run) {
        for lane in resource.lanes.indices where resource.lanes[lane].hasOutgoing {
            let readings = resource.lanes[lane].readings
            for member in resource.lanes[lane].members.indices {
                if resource.lanes[lane].members[member].client == 1 {
                    for reading in resource.lanes[lane].members[member].wanted(of: readings) { run.take(reading) }
                }
                resource.lanes[lane].members[member].didDeliver(readings)
            }
            resource.lanes[lane].didSend()
        }
    }

    private static func grant(_ interval: Int64, _ resource: borrowing Resource) -> Grant {
        var request = Request(resource: .accelerometer)
        request.intervalNanoseconds = interval
        return Grant(request, within: resource.limits)
    }

    private static func at(_ nanoseconds: Int64) -> BootTime { BootTime(nanoseconds: nanoseconds) }
}
