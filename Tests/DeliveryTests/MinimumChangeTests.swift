import Readings
import Simulation
import Testing

@testable import Delivery

@Suite("A client with a minimum change") struct MinimumChangeTests: ~Copyable {
    private var resource = Resource(name: .accelerometer, kind: .acceleration)
    private let pace = Pace(periodNanoseconds: 10, stallNanoseconds: 0)

    init() {
        _ = resource.accept(
            DeviceProfile(
                offered: .fixed(shortestNanoseconds: 10), intervalNanoseconds: 10, description: nil, simulated: true))
        resource.deviceOpened()
        _ = resource.accept(.active)
    }

    @Test("gets nothing that has not moved since its last reading when it changes its request", arguments: [3.0, nil])
    mutating func change(former: Double?) {
        _ = resource.join(1, grant(interval: 100, former), now: at(0))
        #expect(accept(0, at: 0, x: 0) == [0])
        _ = accept(1, at: 100, x: former ?? 0)
        let member = resource.leave(1)
        #expect(resource.join(1, grant(interval: 50, 3), now: at(195), inheriting: member) == nil)
        #expect(accept(2, at: 200, x: 1) == [])
        #expect(accept(3, at: 300, x: 2 * (former ?? 1.5)) == [3])
    }

    @Test("gets the newest at once when it changes its request, if that has moved")
    mutating func changeAfterMove() {
        _ = resource.join(1, grant(interval: 200, 3), now: at(0))
        #expect(accept(0, at: 0, x: 0) == [0])
        #expect(accept(1, at: 100, x: 5) == [])
        let member = resource.leave(1)
        #expect(resource.join(1, grant(interval: 50, 3), now: at(105), inheriting: member)?.sequence == 1)
    }

    @Test("is told of a loss without a number: nobody knows what would have moved enough", arguments: [0, 20])
    func loss(interval: Int64) {
        var lane = Lane(grant: grant(interval: interval, 1_000), anchor: nil)
        for index: UInt64 in 0..<50 {
            let time = at(Int64(index) * 10)
            lane.offer(Samples.acceleration(index, at: time.nanoseconds, x: 0), now: time, pace: pace)
            lane.didSend()
        }
        lane.offer(Gap(cause: .deviceOverflow, count: 10, from: at(500), until: at(590)), pace: pace)
        #expect(lane.gaps == [Gap(cause: .deviceOverflow, count: nil, from: at(500), until: at(590))])
    }

    private mutating func accept(_ sequence: UInt64, at time: Int64, x: Double) -> [UInt64] {
        resource.accept(Samples.acceleration(sequence, at: time, x: x), now: at(time))
        let readings = resource.lanes[0].readings
        resource.lanes[0].members[0].didDeliver(readings)
        resource.lanes[0].didSend()
        return readings.map(\.sequence)
    }

    private func grant(interval: Int64, _ minimumChange: Double?) -> Grant {
        var request = Request(resource: .accelerometer)
        request.intervalNanoseconds = interval
        request.minimumChange = minimumChange
        return Grant(request, within: resource.limits)
    }

    private func at(_ nanoseconds: Int64) -> BootTime { BootTime(nanoseconds: nanoseconds) }
}
