import Readings
import Testing

@testable import Delivery

@Suite("A resource that is released") struct ResourceReleaseTests {
    @Test("sends what was gathered, and tells those who were there what it cost them")
    func releaseIsLoss() {
        var resource = Resource(name: .accelerometer, kind: .acceleration)
        resource.deviceOpened()
        _ = resource.accept(.active)
        var request = Request(resource: .accelerometer)
        request.intervalNanoseconds = 0
        request.batchNanoseconds = 1_000
        let grant = Grant(request, within: resource.limits)
        _ = resource.join(1, grant, now: at(0))
        resource.accept(Samples.acceleration(0, at: 10), now: at(10))
        _ = resource.accept(.released)
        #expect(resource.lanes[0].hasOutgoing)
        #expect(resource.newest == nil)
        resource.lanes[0].didSend()
        _ = resource.join(2, grant, now: at(100))
        resource.deviceOpened()
        resource.accept(Samples.acceleration(0, at: 500), now: at(500))
        let lane = resource.lanes[0]
        #expect(lane.gaps == [Gap(cause: .released, count: nil, from: at(10), until: at(500))])
        #expect(lane.members.map { $0.concerns(lane.gaps[0]) } == [true, false])
    }

    private func at(_ nanoseconds: Int64) -> BootTime { BootTime(nanoseconds: nanoseconds) }
}
