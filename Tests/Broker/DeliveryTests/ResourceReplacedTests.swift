import Readings
import Simulation
import TestTools
import Testing

@testable import Delivery

@Suite("A resource whose device is replaced") struct ResourceReplacedTests {
    @Test("reports the time between the two devices as reconfigured, to those who were subscribed")
    func reported() {
        var resource = Resource(name: .accelerometer, kind: .acceleration)
        resource.deviceOpened()
        _ = resource.accept(.active)
        var request = Request(resource: .accelerometer)
        request.intervalNanoseconds = 0
        let grant = Grant(request, within: resource.limits)
        _ = resource.join(1, grant, now: at(0))
        resource.accept(Samples.acceleration(0, at: 10), now: at(10))
        resource.lanes[0].didSend()
        resource.deviceReplaced()
        _ = resource.accept(.starting)
        #expect(resource.newest == nil)
        _ = resource.join(2, grant, now: at(100))
        resource.deviceOpened()
        resource.accept(Samples.acceleration(0, at: 500), now: at(500))
        let lane = resource.lanes[0]
        #expect(lane.gaps == [Gap(cause: .reconfigured, count: nil, from: at(10), until: at(500))])
        #expect(lane.members.map { $0.concerns(lane.gaps[0]) } == [true, false])
        #expect(lane.readings.map(\.sequence) == [0])
    }

    @Test("that has not delivered anything has lost nothing")
    func nothing() {
        var resource = Resource(name: .accelerometer, kind: .acceleration)
        resource.deviceReplaced()
        resource.deviceOpened()
        _ = resource.join(1, Grant(Request(resource: .accelerometer), within: resource.limits), now: at(0))
        resource.accept(Samples.acceleration(0, at: 500), now: at(500))
        #expect(resource.lanes[0].gaps.isEmpty)
    }
}
