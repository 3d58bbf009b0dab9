import Readings
import Simulation
import TestTools
import Testing

@testable import Delivery

@Suite("A resource") struct ResourceTests {
    @Test("has one lane per distinct grant, and none after the last member has left")
    func lanes() {
        var resource = openResource()
        for client in 0..<100 { _ = join(&resource, Client(client), interval: client.isMultiple(of: 2) ? 20 : 30) }
        #expect(resource.lanes.count == 2)
        #expect(resource.lanes.clientCount == 100)
        for client in 0..<100 { _ = resource.leave(Client(client)) }
        #expect(resource.lanes.isEmpty)
    }

    @Test("wishes one thing of its device, however many lanes it has, and another one for calls that wait")
    func oneWish() {
        var resource = openResource()
        for client in 0..<100 { _ = join(&resource, Client(client), interval: 20 + Int64(client), batch: 900) }
        _ = join(&resource, 100, interval: 70, batch: 300)
        #expect(resource.lanes.count == 101)
        let wish = Demand(intervalNanoseconds: 20, latencyNanoseconds: 300, kinds: KindSet(of: [resource.quantity]))
        #expect(resource.wishes == [wish])
        resource.countWaitingRead(1)
        #expect(resource.wishes.count == 2)
    }

    @Test("gives each client with a minimum change its own lane")
    func privateLanes() {
        var resource = openResource()
        var request = Request(resource: .accelerometer)
        request.minimumChange = 1
        let grant = Grant(request, within: resource.limits)
        for client in 0..<3 { _ = resource.join(Client(client), grant, now: at(0)) }
        #expect(resource.lanes.count == 3)
    }

    @Test("gives the newest reading at once if it is no older than the interval, but none for interval 0")
    func firstReading() {
        var resource = openResource()
        resource.accept(Samples.acceleration(0, at: 100), now: at(100))
        #expect(join(&resource, 1, interval: 50, now: 150)?.sequence == 0)
        #expect(join(&resource, 2, interval: 50, now: 151) == nil)
        #expect(join(&resource, 3, interval: 0, now: 100) == nil)
    }

    @Test("is not silent as soon as a sample comes that is newer than the turn in which it is taken")
    func lateTurn() {
        var resource = openResource()
        _ = join(&resource, 1, interval: 100_000_000)
        deliver(&resource, Samples.acceleration(0, at: 0))
        // The host held the loop up after the turn had begun.
        resource.accept(Samples.acceleration(1, at: 90_000_000), now: at(30_000_000))
        #expect(resource.deadline == at(90_000_000 + resource.pace.silenceNanoseconds))
    }

    @Test("never sends a client what was gathered before it joined")
    func joinInBatch() {
        var resource = openResource()
        _ = join(&resource, 1, interval: 0, batch: 1_000)
        for index: UInt64 in 0..<5 {
            resource.accept(Samples.acceleration(index, at: Int64(index) * 10), now: at(Int64(index) * 10))
        }
        _ = join(&resource, 2, interval: 0, batch: 1_000, now: 45)
        #expect(resource.lanes.count == 1)
        let lane = resource.lanes[0]
        #expect(!lane.hasOutgoing)
        #expect(lane.members.map { $0.firstWanted(of: lane.readings) } == [0, nil])
    }

    @Test("restarts its count after the device was opened again, and loses no reading by that")
    func reopened() {
        var resource = openResource()
        _ = join(&resource, 1, interval: 10)
        for index: UInt64 in 0..<5 { deliver(&resource, Samples.acceleration(index, at: Int64(index) * 10)) }
        _ = resource.accept(.unavailable(reason: "unplugged"))
        resource.deviceOpened()
        resource.accept(Samples.acceleration(0, at: 500), now: at(500))
        let lane = resource.lanes[0]
        #expect(lane.hasOutgoing)
        #expect(lane.members[0].firstWanted(of: lane.readings) == 0)
        #expect(lane.gaps == [Gap(cause: .deviceLost, count: nil, from: at(40), until: at(500))])
    }

    @Test("does not report a loss to a client that joined after it")
    func lossBeforeJoin() {
        var resource = openResource()
        _ = join(&resource, 1, interval: 10)
        deliver(&resource, Samples.acceleration(0, at: 0))
        let gap = Gap(cause: .deviceOverflow, count: 1, from: at(10), until: at(20))
        _ = join(&resource, 2, interval: 10, now: 30)
        resource.accept(gap)
        #expect(resource.lanes[0].members.map { $0.concerns(gap) } == [true, false])
    }

    @Test("reports the loss of its device to those who were subscribed, and not to later clients")
    func lossAndLatecomer() {
        var resource = openResource()
        _ = join(&resource, 1, interval: 10)
        deliver(&resource, Samples.acceleration(0, at: 0))
        _ = resource.accept(.unavailable(reason: "unplugged"))
        _ = join(&resource, 2, interval: 10, now: 100)
        resource.deviceOpened()
        resource.accept(Samples.acceleration(0, at: 500), now: at(500))
        let lane = resource.lanes[0]
        #expect(lane.gaps.map(\.cause) == [.deviceLost])
        #expect(lane.members.map { $0.concerns(lane.gaps[0]) } == [true, false])
    }

    @Test("reports failed readings to all who were subscribed, also after an outage")
    func failedReadings() {
        var resource = openResource()
        _ = join(&resource, 1, interval: 10)
        deliver(&resource, Samples.acceleration(0, at: 0))
        let gap = Gap(cause: .deviceLost, count: 1, from: at(10), until: at(15))
        #expect(resource.lanes[0].members[0].concerns(gap))
        _ = resource.accept(.unavailable(reason: "unplugged"))
        _ = join(&resource, 2, interval: 10, now: 100)
        resource.deviceOpened()
        deliver(&resource, Samples.acceleration(0, at: 500))
        let later = Gap(cause: .deviceLost, count: 1, from: at(510), until: at(515))
        #expect(resource.lanes[0].members.allSatisfy { $0.concerns(later) })
    }

    @Test("sends a changed stream no reading before its new interval has passed, and a mean stream no raw sample")
    func changedTooEarly() {
        let changes: [(interval: Int64, filter: Filter, first: UInt64?)] = [
            (20, .newest, nil), (10, .newest, 5), (10, .mean, nil),
        ]
        for change in changes {
            var resource = openResource()
            _ = join(&resource, 1, interval: 40)
            for index: UInt64 in 0..<6 { deliver(&resource, Samples.acceleration(index, at: Int64(index) * 10)) }
            // It got those of 0 and 40, and has not seen the one of 50.
            let former = resource.leave(1)
            var request = request(interval: change.interval, batch: 0)
            request.filter = change.filter
            let grant = Grant(request, within: resource.limits)
            #expect(resource.join(1, grant, now: at(55), inheriting: former)?.sequence == change.first)
        }
    }

    @Test("keeps the account of a client that changes its grant")
    func inherit() {
        var resource = openResource()
        _ = join(&resource, 1, interval: 10)
        deliver(&resource, Samples.acceleration(0, at: 0))
        deliver(&resource, Samples.acceleration(1, at: 10))
        let former = resource.leave(1)
        let grant = Grant(request(interval: 30, batch: 0), within: resource.limits)
        #expect(resource.join(1, grant, now: at(12), inheriting: former) == nil, "it has seen the newest")
        #expect(resource.lanes[0].members[0].delivered == 2)
    }

    private func openResource() -> Resource {
        var resource = Resource(name: .accelerometer, kind: .acceleration)
        let profile = DeviceProfile(
            offered: .range(shortestNanoseconds: 1, longestNanoseconds: 1_000_000_000_000), intervalNanoseconds: 10,
            description: nil, simulated: true)
        _ = resource.accept(profile)
        resource.deviceOpened()
        _ = resource.accept(.active)
        return resource
    }

    private func request(interval: Int64, batch: Int64) -> Request {
        var request = Request(resource: .accelerometer)
        request.intervalNanoseconds = interval
        request.batchNanoseconds = batch
        return request
    }

    private func join(
        _ resource: inout Resource, _ client: Client, interval: Int64, batch: Int64 = 0, now: Int64 = 0
    ) -> Sample? {
        let grant = Grant(request(interval: interval, batch: batch), within: resource.limits)
        return resource.join(client, grant, now: at(now))
    }

    /// A sample, and what it makes due, to all members.
    private func deliver(_ resource: inout Resource, _ sample: Sample) {
        resource.accept(sample, now: sample.timestamp)
        for lane in resource.lanes.indices where resource.lanes[lane].hasOutgoing {
            for member in resource.lanes[lane].members.indices {
                resource.lanes[lane].members[member].didDeliver(resource.lanes[lane].readings)
            }
            resource.lanes[lane].didSend()
        }
    }
}
