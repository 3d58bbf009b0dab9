import Readings
import Simulation
import TestTools
import Testing

@testable import Delivery

@Suite("A resource in an outage") struct ResourceOutageTests {
    @Test("when released sends what was gathered, and a gap to those who were subscribed")
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

    @Test("that is lost again in the turn of its return reports each loss to those who were subscribed")
    func lostAgain() {
        var resource = openResource()
        let grant = grant(resource, interval: 200)
        _ = resource.join(1, grant, now: at(0))
        resource.accept(Samples.acceleration(0, at: 5), now: at(5))
        for index in resource.lanes.indices { resource.lanes[index].didSend() }
        _ = resource.accept(.unavailable(reason: "unplugged"))
        resource.deviceOpened()
        _ = resource.join(2, grant, now: at(700))
        _ = resource.accept(.active)
        resource.accept(Samples.acceleration(0, at: 690), now: at(710))
        _ = resource.accept(.unavailable(reason: "unplugged"))
        let lane = resource.lanes[0]
        #expect(lane.gaps.map(\.from) == [at(5)])
        #expect(lane.members.map { $0.concerns(lane.gaps[0]) } == [true, false])
        let next = Gap(cause: .deviceLost, count: nil, from: at(690), until: at(900))
        #expect(lane.members.allSatisfy { $0.concerns(next) })
    }

    @Test("reports no loss to a client that joined at the instant of the last sample, after it")
    func sameInstant() {
        var resource = openResource()
        let grant = grant(resource, interval: 200)
        resource.accept(Samples.acceleration(0, at: 690), now: at(690))
        _ = resource.accept(.unavailable(reason: "unplugged"))
        _ = resource.join(2, grant, now: at(690))
        let gap = Gap(cause: .deviceLost, count: nil, from: at(690), until: at(900))
        #expect(!resource.lanes[0].members[0].concerns(gap))
    }

    @Test("that was about to be closed when a client joined sends what it had, and reports the hole")
    func closedUnderNewcomer() {
        var resource = openResource()
        resource.accept(Samples.acceleration(7, at: 0), now: at(0))
        _ = resource.accept(.warm)
        _ = resource.join(1, grant(resource, interval: 10, batch: 1_000), now: at(1))
        resource.accept(Samples.acceleration(8, at: 10), now: at(10))
        _ = resource.accept(.idle)
        #expect(resource.lanes[0].hasOutgoing)
        #expect(resource.newest == nil)
        resource.lanes[0].didSend()
        resource.deviceOpened()
        resource.accept(Samples.acceleration(0, at: 50), now: at(50))
        #expect(resource.lanes[0].gaps == [Gap(cause: .reconfigured, count: nil, from: at(10), until: at(50))])
    }

    @Test("whose device reports the loss itself passes it on once, with the device's count")
    func ownWord() {
        var resource = openResource()
        _ = resource.join(1, grant(resource, interval: 0, batch: 0), now: at(0))
        resource.accept(Samples.acceleration(0, at: 10), now: at(10))
        _ = resource.accept(.unavailable(reason: "unplugged"))
        resource.lanes[0].didSend()
        let gap = Gap(cause: .deviceLost, count: 3, from: at(10), until: at(50))
        resource.accept(gap)
        resource.accept(Samples.acceleration(4, at: 50), now: at(50))
        #expect(resource.lanes[0].gaps == [gap])
    }

    @Test("sends what was held when its device was lost before the samples of the next opening")
    func heldBeforeReopening() {
        var resource = openResource()
        _ = resource.join(1, grant(resource, interval: 20, batch: 1_000), now: at(0))
        resource.accept(Samples.acceleration(0, at: 0), now: at(0))
        resource.accept(Samples.acceleration(1, at: 5), now: at(5))
        _ = resource.accept(.unavailable(reason: "unplugged"))
        resource.lanes[0].didSend()
        resource.expire(now: at(60_000_000))
        #expect(resource.lanes[0].hasOutgoing)
        #expect(resource.lanes[0].readings.map(\.sequence) == [1])
    }

    @Test("reports the loss to a client that changes its request during the outage", arguments: [false, true])
    func changeInOutage(cameInFormerOutage: Bool) {
        var resource = openResource()
        let grants = (grant(resource, interval: 20, batch: 0), grant(resource, interval: 30, batch: 0))
        resource.accept(Samples.acceleration(0, at: 0), now: at(0))
        if !cameInFormerOutage { _ = resource.join(1, grants.0, now: at(1)) }
        _ = resource.accept(.unavailable(reason: "unplugged"))
        if cameInFormerOutage { _ = resource.join(1, grants.0, now: at(10)) }
        resource.deviceOpened()
        _ = resource.accept(.active)
        resource.accept(Samples.acceleration(0, at: 50), now: at(50))
        resource.lanes[0].didSend()
        _ = resource.accept(.unavailable(reason: "unplugged"))
        let former = resource.leave(1)
        _ = resource.join(1, grants.1, now: at(600), inheriting: former)
        resource.deviceOpened()
        resource.accept(Samples.acceleration(0, at: 590), now: at(610))
        let lane = resource.lanes[0]
        #expect(lane.gaps == [Gap(cause: .deviceLost, count: nil, from: at(50), until: at(590))])
        #expect(lane.members.map { $0.concerns(lane.gaps[0]) } == [true])
    }

    private func openResource() -> Resource {
        var resource = Resource(name: .accelerometer, kind: .acceleration)
        let offered = OfferedIntervals.fixed(shortestNanoseconds: 10)
        _ = resource.accept(
            DeviceProfile(offered: offered, intervalNanoseconds: 10, description: nil, simulated: true))
        resource.deviceOpened()
        _ = resource.accept(.active)
        return resource
    }

    private func grant(_ resource: borrowing Resource, interval: Int64, batch: Int64 = 0) -> Grant {
        var request = Request(resource: .accelerometer)
        request.intervalNanoseconds = interval
        request.batchNanoseconds = batch
        return Grant(request, within: resource.limits)
    }
}
