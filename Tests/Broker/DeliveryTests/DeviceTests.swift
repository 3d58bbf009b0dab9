import Readings
import Simulation
import TestTools
import Testing

@testable import Delivery

@Suite("A device with several resources") struct DeviceTests {
    private let device = Device()
    private let accelerometer = OwnedResource(Resource(name: .accelerometer, kind: .acceleration), at: 0)
    private let gyroscope: OwnedResource

    init() throws {
        let name = try #require(ResourceName("gyroscope"))
        gyroscope = OwnedResource(Resource(name: name, kind: .angularVelocity), at: 1)
        device.adopt(accelerometer)
        device.adopt(gyroscope)
    }

    private func join(_ client: Client, _ resource: OwnedResource, interval: Int64, batch: Int64 = 0) {
        var request = Request(resource: resource.core.name)
        (request.intervalNanoseconds, request.batchNanoseconds) = (interval, batch)
        _ = resource.core.join(client, Grant(request, within: resource.core.limits), now: at(0))
    }

    @Test("has one demand for all of them: the shortest interval, the shortest latency and every requested kind")
    func demand() {
        join(1, accelerometer, interval: 50_000_000, batch: 1_000_000_000)
        #expect(device.settle(now: at(0)))
        #expect(
            device.demand
                == Demand(
                    intervalNanoseconds: 50_000_000, latencyNanoseconds: 1_000_000_000, kinds: [.acceleration]))
        join(2, gyroscope, interval: 20_000_000)
        #expect(device.settle(now: at(0)))
        let both = Demand(intervalNanoseconds: 20_000_000, kinds: [.acceleration, .angularVelocity])
        #expect(device.demand == both)
        #expect(accelerometer.core.pace.latencyNanoseconds == 0)
        _ = gyroscope.core.leave(2)
        #expect(!device.settle(now: at(1)), "less is enough only after the dwell")
        #expect(device.settle(now: at(1 + Arbitration.dwellNanoseconds)))
        #expect(device.demand?.kinds == [.acceleration])
        _ = accelerometer.core.leave(1)
        #expect(device.settle(now: at(2)))
        #expect(device.demand == nil)
    }

    @Test("counts a waiting read as a request")
    func waitingRead() {
        gyroscope.core.countWaitingRead(1)
        #expect(device.settle(now: at(0)))
        let usual = gyroscope.core.limits.defaultNanoseconds
        #expect(device.demand == Demand(intervalNanoseconds: usual, kinds: [.angularVelocity]))
        gyroscope.core.countWaitingRead(-1)
        #expect(device.settle(now: at(0)))
        #expect(device.demand == nil)
    }

    @Test("demands several samples per mean")
    func meanDemand() {
        var request = Request(resource: .accelerometer)
        (request.intervalNanoseconds, request.filter) = (1_000_000_000, .mean)
        _ = accelerometer.core.join(1, Grant(request, within: accelerometer.core.limits), now: at(0))
        _ = device.settle(now: at(0))
        #expect(device.demand?.intervalNanoseconds == 100_000_000)
    }

    @Test("a resource without clients is idle, and gets nothing, while the device runs for another one")
    func idle() {
        #expect(device.state(of: gyroscope) == .idle)
        device.take([.state(.warm)], to: WrittenSink(), now: at(0))
        #expect(device.state(of: gyroscope) == .warm, "nobody asks for any of them")
        #expect(device.taker(of: Quantity(.angularVelocity)) === gyroscope)
        join(1, accelerometer, interval: 50_000_000)
        _ = device.settle(now: at(0))
        device.take([.state(.active)], to: WrittenSink(), now: at(0))
        #expect(device.state(of: accelerometer) == .active)
        #expect(device.state(of: gyroscope) == .idle)
        #expect(device.taker(of: Quantity(.angularVelocity)) == nil)
        #expect(device.taker(of: Quantity(.acceleration)) === accelerometer)
        #expect(device.losers.map(\.index) == [0])
    }

    @Test("a resource that is requested while the device runs is starting until its first sample, and loses none")
    func awaitingFirst() {
        join(1, accelerometer, interval: 50_000_000)
        _ = device.settle(now: at(0))
        device.take([.state(.active)], to: WrittenSink(), now: at(0))
        join(2, gyroscope, interval: 50_000_000)
        _ = device.settle(now: at(0))
        #expect(device.state(of: gyroscope) == .starting)
        #expect(device.losers.map(\.index) == [0])
        let sample = Sample(
            sequence: 7, timestamp: at(1), measurement: .values(Values(.angularVelocity, [0, 0, 1, 0])))
        device.accept(sample, for: gyroscope, now: at(1))
        #expect(device.state(of: gyroscope) == .active)
        #expect(device.losers.map(\.index) == [0, 1])
    }

    @Test("loss, release and states of the device apply to each of them")
    func shared() {
        join(1, accelerometer, interval: 50_000_000)
        _ = device.settle(now: at(0))
        for state in [ResourceState.unavailable(reason: "unplugged"), .released] {
            device.take([.state(state)], to: WrittenSink(), now: at(0))
            #expect(device.state(of: accelerometer) == state)
            #expect(device.state(of: gyroscope) == state)
        }
        device.hang("its driver hangs", to: WrittenSink(), now: at(0))
        #expect(device.state(of: gyroscope) == .unavailable(reason: "its driver hangs"))
    }

    @Test("a resource of a kind that the device lacks at present is unavailable, with the reason")
    func missingKind() {
        var profile = DeviceProfile(
            offered: .fixed(shortestNanoseconds: 1), intervalNanoseconds: nil, description: nil, simulated: true)
        profile.kinds = [.acceleration]
        #expect(device.accept(profile))
        #expect(device.state(of: accelerometer) == .idle)
        #expect(
            device.state(of: gyroscope) == .unavailable(reason: "the device that is there now has no gyroscope"))
        profile.withheld[Quantity(.angularVelocity)] = "its scale cannot be read"
        device.take([.profile(profile)], to: WrittenSink(), now: at(0))
        #expect(device.state(of: gyroscope) == .unavailable(reason: "its scale cannot be read"))
        join(1, gyroscope, interval: 50_000_000)
        _ = device.settle(now: at(0))
        #expect(device.losers.isEmpty, "its clients lose all the time in which it is not there, and nothing beside")
        #expect(device.taker(of: Quantity(.angularVelocity)) == nil)
        _ = gyroscope.core.leave(1)
        _ = device.settle(now: at(0))
        profile.kinds = .all
        profile.withheld = [:]
        device.take([.profile(profile)], to: WrittenSink(), now: at(0))
        #expect(device.state(of: gyroscope) == .idle)
    }

    @Test("while its counts are of unknown size, a resource has one loss, whatever the device loses meanwhile")
    func flaw() {
        let sink = WrittenSink()
        join(1, accelerometer, interval: 0)
        _ = device.settle(now: at(0))
        var profile = DeviceProfile(
            offered: .fixed(shortestNanoseconds: 10), intervalNanoseconds: 10, description: nil, simulated: true)
        let sample = DeviceEvent.sample(Samples.acceleration(0, at: 10))
        device.take([.profile(profile), .opened, .state(.active), sample], to: sink, now: at(10))
        profile.withheld = [Quantity(.acceleration): "it has no usable scale"]
        let gap = Gap(cause: .deviceOverflow, count: 2, from: at(20), until: at(30))
        device.take(
            [
                .profile(profile), .gap(gap), .missing(gap, of: Quantity(.acceleration)),
                .sample(Samples.acceleration(4, at: 40)),
            ], to: sink, now: at(40))
        profile.withheld = [:]
        device.take([.profile(profile), .sample(Samples.acceleration(5, at: 60))], to: sink, now: at(60))
        #expect(sink.gaps == [Gap(cause: .deviceLost, count: nil, from: at(10), until: at(60))])
    }

    @Test("due times of all of them lie on one grid")
    func oneGrid() {
        join(1, accelerometer, interval: 50_000_000)
        _ = device.settle(now: at(0))
        let sample = Samples.acceleration(0, at: 17)
        device.accept(sample, for: accelerometer, now: at(17))
        join(2, gyroscope, interval: 50_000_000)
        _ = device.settle(now: at(20))
        let turn = Sample(
            sequence: 1, timestamp: at(30), measurement: .values(Values(.angularVelocity, [0, 0, 1, 0])))
        device.accept(turn, for: gyroscope, now: at(30))
        #expect(gyroscope.core.grid == at(17))
    }

    @Test("a resource can move to another device, and then belongs only to that")
    func adopted() {
        let other = Device()
        other.adopt(gyroscope)
        #expect(device.resources.map(\.index) == [0])
        #expect(other.resources.map(\.index) == [1])
    }
}
