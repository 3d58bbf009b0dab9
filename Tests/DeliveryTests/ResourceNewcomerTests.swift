import Readings
import Testing

@testable import Delivery

@Suite("A newcomer to a resource") struct ResourceNewcomerTests {
    @Test("does not get its first reading again in the batch that follows")
    func firstReadingAndBatch() {
        var resource = openResource()
        _ = join(&resource, 1, interval: 100, batch: 500)
        for index: UInt64 in 0...15 { accept(&resource, index, at: Int64(index) * 10) }
        #expect(join(&resource, 2, interval: 100, batch: 500, now: 155)?.sequence == 15)
        resource.lanes[0].members[1].didDeliver([Samples.acceleration(15, at: 150)])
        resource.lanes[0].didSend()
        resource.expire(now: at(60_000_000))
        let lane = resource.lanes[0]
        #expect(lane.hasOutgoing)
        #expect(lane.readings.map(\.sequence) == [15])
        #expect(lane.members.map { $0.wants(lane.readings) } == [true, false])
    }

    @Test("gets nothing that the device made before it was lost")
    func heldSampleOfLostDevice() {
        var resource = openResource()
        _ = join(&resource, 1, interval: 100)
        for index: UInt64 in 0...5 { accept(&resource, index, at: Int64(index) * 10) }
        resource.lanes[0].didSend()
        _ = resource.accept(.unavailable(reason: "unplugged"))
        _ = join(&resource, 2, interval: 100, now: 60)
        resource.expire(now: at(60_000_000))
        let lane = resource.lanes[0]
        #expect(lane.readings.map(\.sequence) == [5])
        #expect(lane.members.map { $0.wants(lane.readings) } == [true, false])
    }

    @Test("with a minimum change waits for the whole interval after its first reading")
    func minimumChangeAfterFirst() {
        var resource = openResource()
        _ = join(&resource, 1, interval: 1_000)
        for index: UInt64 in 0...15 { accept(&resource, index, at: Int64(index) * 10) }
        #expect(join(&resource, 2, interval: 100, change: 1, now: 155)?.sequence == 15)
        for index: UInt64 in 16...24 { accept(&resource, index, at: Int64(index) * 10) }
        #expect(!resource.lanes[1].hasOutgoing)
        accept(&resource, 25, at: 250)
        #expect(resource.lanes[1].readings.map(\.sequence) == [25])
    }

    private func openResource() -> Resource {
        var resource = Resource(name: .accelerometer, kind: .acceleration)
        _ = resource.accept(
            DeviceProfile(
                offered: .fixed(shortestNanoseconds: 10), intervalNanoseconds: 10, description: nil, simulated: true))
        resource.deviceOpened()
        _ = resource.accept(.active)
        return resource
    }

    private func accept(_ resource: inout Resource, _ sequence: UInt64, at nanoseconds: Int64) {
        resource.accept(Samples.acceleration(sequence, at: nanoseconds), now: at(nanoseconds))
    }

    private func join(
        _ resource: inout Resource, _ client: UInt64, interval: Int64, batch: Int64 = 0, change: Double? = nil,
        now: Int64 = 0
    ) -> Sample? {
        var request = Request(resource: .accelerometer)
        request.intervalNanoseconds = interval
        request.batchNanoseconds = batch
        request.minimumChange = change
        return resource.join(client, Grant(request, within: resource.limits), now: at(now))
    }

    private func at(_ nanoseconds: Int64) -> BootTime { BootTime(nanoseconds: nanoseconds) }
}
