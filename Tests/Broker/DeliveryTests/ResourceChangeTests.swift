import Readings
import Simulation
import TestTools
import Testing

@testable import Delivery

@Suite("A resource whose client changes its request") struct ResourceChangeTests: ~Copyable {
    private var resource = Resource.open(.acceleration)

    init() {
        _ = resource.join(1, grant(interval: 100), now: at(0))
        for index: UInt64 in 0...3 { accept(index) }
        resource.lanes[0].members[0].didDeliver(resource.lanes[0].readings)
        resource.lanes[0].didSend()
    }

    @Test("sends the newest sample that the client has not received, if the source falls silent after the change")
    mutating func silence() throws {
        change(to: 60)
        let due = resource.deadline
        let deadline = try #require(due)
        #expect(resource.takeUndelivered(now: at(deadline.nanoseconds - 1)).isEmpty)
        let undelivered = resource.takeUndelivered(now: deadline)
        #expect(undelivered.map(\.client) == [1] && undelivered.map(\.reading.sequence) == [3])
        #expect(resource.takeUndelivered(now: deadline).isEmpty)
    }

    @Test("sends that sample once, also after a second change")
    mutating func secondChange() throws {
        change(to: 60)
        change(to: 0)
        let due = resource.deadline
        let deadline = try #require(due)
        #expect(resource.takeUndelivered(now: deadline).count == 1)
    }

    @Test("with a minimum change, sends it if it has changed enough, and measures the next change from it")
    mutating func minimumChange() throws {
        var other = ResourceChangeTests()
        change(to: 60, change: 2)
        let due = resource.deadline
        let deadline = try #require(due)
        #expect(resource.takeUndelivered(now: deadline).map(\.reading.sequence) == [3])
        for (sequence, instant): (UInt64, Int64) in [(4, 200_000_000), (5, 200_000_100)] {
            resource.accept(Samples.acceleration(sequence, at: instant), now: at(instant))
            #expect(resource.lanes[0].hasOutgoing == (sequence == 5), "x is 3, then 4, then 5")
        }
        other.change(to: 60, change: 4)
        #expect(other.resource.takeUndelivered(now: at(.max)).isEmpty)
    }

    @Test("does not send it if another sample comes, the client leaves, or has received it")
    mutating func nothingUnseen() {
        var other = ResourceChangeTests()
        change(to: 60)
        accept(4)
        #expect(resource.takeUndelivered(now: at(.max)).isEmpty)
        other.change(to: 60)
        _ = other.resource.leave(1)
        #expect(other.resource.takeUndelivered(now: at(.max)).isEmpty)
        change(to: 0)
        accept(5)
        resource.lanes[0].members[0].didDeliver(resource.lanes[0].readings)
        change(to: 60)
        #expect(resource.takeUndelivered(now: at(.max)).isEmpty)
    }

    @Test(
        "after a change, the first step lasts about as long as the new interval, and all others exactly",
        arguments: 1...33)
    func steps(last: UInt64) {
        var resource = Resource.open(.acceleration)
        _ = resource.join(1, grant(interval: 1), now: at(0))
        var stamps: [Int64] = []
        for index in 0...(last + 330) {
            resource.accept(Samples.acceleration(index, at: Int64(index) * 10), now: at(Int64(index) * 10))
            for lane in resource.lanes.indices where resource.lanes[lane].hasOutgoing {
                let readings = resource.lanes[lane].readings
                if index >= last { stamps += readings.map(\.timestamp.nanoseconds) }
                for member in resource.lanes[lane].members.indices {
                    resource.lanes[lane].members[member].didDeliver(readings)
                }
                resource.lanes[lane].didSend()
            }
            guard index == last else { continue }
            let former = resource.leave(1)
            #expect(resource.join(1, grant(interval: 33), now: at(Int64(index) * 10), inheriting: former) == nil)
        }
        let steps = zip(stamps.dropFirst(), stamps).map { $0 - $1 }
        // Due times are on the grid of all lanes, and a sample may be half a period from its due time.
        #expect(steps.count >= 99 && abs(steps[0] - 33) <= 33 / 2 + 5, "\(steps.prefix(5))")
        #expect(steps.dropFirst().allSatisfy { $0 == 30 || $0 == 40 }, "\(steps.prefix(5))")
    }

    @Test("what was not due at the former interval is not counted as lost at the new one")
    func lossAfterAChange() throws {
        var resource = Resource.open(.acceleration)
        _ = resource.join(1, grant(interval: 1000), now: at(0))
        for index: UInt64 in 0...50 {
            resource.accept(Samples.acceleration(index, at: Int64(index) * 10), now: at(Int64(index) * 10))
            guard index == 0 else { continue }
            resource.lanes[0].members[0].didDeliver(resource.lanes[0].readings)
            resource.lanes[0].didSend()
        }
        // The newest sample, of 500, is too old for the new interval.
        let former = resource.leave(1)
        #expect(resource.join(1, grant(interval: 20), now: at(600), inheriting: former) == nil)
        resource.accept(Gap(cause: .deviceOverflow, count: 10, from: at(501), until: at(600)))
        let gap = try #require(resource.lanes[0].gaps.first)
        #expect(gap.count ?? 0 <= 5, "due were 520, 540, 560, 580 and 600")
    }

    private mutating func change(to interval: Int64, change: Double? = nil) {
        let former = resource.leave(1)
        #expect(resource.join(1, grant(interval: interval, change: change), now: at(35), inheriting: former) == nil)
    }

    private mutating func accept(_ sequence: UInt64) {
        resource.accept(Samples.acceleration(sequence, at: Int64(sequence) * 10), now: at(Int64(sequence) * 10))
    }

    private func grant(interval: Int64, change: Double? = nil) -> Grant {
        var request = Request(resource: .accelerometer)
        request.intervalNanoseconds = interval
        request.minimumChange = change
        return Grant(request, within: resource.limits)
    }
}
