import Readings
import Simulation
import TestTools
import Testing

@testable import Delivery

/// What a device's events come to at a sink, in order.
@Suite("From a device's events to a sink") struct SinkTests {
    private let device = Device()
    private let accelerometer = OwnedResource(Resource(name: .accelerometer, kind: .acceleration), at: 0)
    private let gyroscope: OwnedResource
    private let sink = WrittenSink()
    private let interval: Int64 = 100_000_000

    init() throws {
        let name = try #require(ResourceName("gyroscope"))
        gyroscope = OwnedResource(Resource(name: name, kind: .angularVelocity), at: 1)
        device.adopt(accelerometer)
        device.adopt(gyroscope)
    }

    private func at(_ index: Int64) -> BootTime { BootTime(nanoseconds: 1_000_000_000 + index * interval) }

    private func scan(_ sequence: UInt64) -> [DeviceEvent] {
        let timestamp = at(Int64(sequence))
        let turn = Measurement.values(Values(.angularVelocity, [0, 0, 1, 0]))
        return [
            .sample(Samples.acceleration(sequence, at: timestamp.nanoseconds)),
            .sample(Sample(sequence: sequence, timestamp: timestamp, measurement: turn)),
        ]
    }

    private func join(_ client: Client, _ resource: OwnedResource, now: BootTime) {
        var request = Request(resource: resource.name)
        request.intervalNanoseconds = interval
        let grant = Grant(request, within: resource.core.limits)
        resource.join(client, grant, inheriting: nil, to: sink, now: now)
        device.settle(to: sink, now: now)
    }

    private func take(_ events: [DeviceEvent], now: BootTime) { device.take(events, to: sink, now: now) }

    @Test("a client that adds another kind gets its states before its first reading, and loses nothing")
    func order() {
        join(1, accelerometer, now: at(0))
        #expect(sink.take() == ["demand accelerometer"])
        take([.opened, .state(.active)] + scan(0), now: at(0))
        #expect(sink.take() == ["accelerometer active", "1: accelerometer 0"])
        join(2, gyroscope, now: at(0))
        #expect(sink.take() == ["demand accelerometer gyroscope", "gyroscope starting"])
        let gap = Gap(cause: .deviceOverflow, count: 3, from: at(1), until: at(3))
        take([.gap(gap)] + scan(4), now: at(4))
        #expect(
            sink.take() == [
                "gyroscope active", "1: accelerometer deviceOverflow 4", "2: gyroscope 4",
            ])
        _ = accelerometer.leave(1, to: sink, now: at(4))
        device.settle(to: sink, now: at(4))
        #expect(sink.take() == ["accelerometer idle"], "the demand stays for the dwell")
        take(scan(5), now: at(5))
        #expect(sink.take() == ["2: gyroscope 5"])
    }

    @Test("a client whose socket is full misses readings, and later gets a gap and the newest reading")
    func catchesUp() {
        join(1, accelerometer, now: at(0))
        take([.opened, .state(.active)] + scan(0), now: at(0))
        sink.isFull = true
        _ = sink.take()
        for sequence: UInt64 in 1...3 { take(scan(sequence), now: at(Int64(sequence))) }
        #expect(sink.take() == [])
        #expect(accelerometer.core.lanes[0].members[0].lost == 3)
        sink.isFull = false
        accelerometer.catchUp(1, sink, now: at(3))
        #expect(sink.take() == ["1: accelerometer missed slowClient, newest 3"])
        accelerometer.catchUp(1, sink, now: at(3))
        #expect(sink.take() == [], "reported once")
        let member = accelerometer.core.lanes[0].members[0]
        #expect((member.delivered, member.lost) == (2, 2))
    }

    @Test("a call gets one answer: the next sample of its kind, the reason why there is none, or a timeout")
    func reads() {
        func wait(_ slot: UInt32, _ resource: OwnedResource) {
            let token = ConnectionToken(slot: slot, generation: 0)
            resource.wait(WaitingRead(connection: token, since: at(0), deadline: at(5)))
            device.settle(to: sink, now: at(0))
        }
        wait(1, accelerometer)
        wait(2, gyroscope)
        take([.opened, .state(.active)] + Array(scan(1).prefix(1)), now: at(1))
        #expect(sink.take().contains("answer 1: accelerometer 1"))
        take([.failed(reason: "unplugged")], now: at(2))
        #expect(sink.take().contains("answer 2: gyroscope unplugged"))
        #expect(device.demand == nil)
        wait(3, gyroscope)
        device.expire(to: sink, now: at(4))
        #expect(!sink.take().contains { $0.hasPrefix("answer") })
        #expect(device.deadline == at(5))
        device.expire(to: sink, now: at(5))
        #expect(sink.take().contains("answer 3: gyroscope timed out"))
        #expect(device.deadline == nil)
    }

    @Test("an attempt that fails in part answers those who wait for that part only")
    func failsInPart() {
        for (slot, resource) in [(1, accelerometer), (2, gyroscope)] as [(UInt32, OwnedResource)] {
            let token = ConnectionToken(slot: slot, generation: 0)
            resource.wait(WaitingRead(connection: token, since: at(0), deadline: at(5)))
        }
        var profile = DeviceProfile(
            offered: .fixed(shortestNanoseconds: 1), intervalNanoseconds: nil, description: nil, simulated: true)
        profile.withheld[Quantity(.angularVelocity)] = "no scale"
        take([.profile(profile), .failed(reason: "no scale", inPart: true)], now: at(1))
        let answers = sink.take().filter { $0.hasPrefix("answer") }
        #expect(answers == ["answer 2: gyroscope no scale"])
        take([.opened, .state(.active)] + Array(scan(1).prefix(1)), now: at(2))
        #expect(sink.take().contains("answer 1: accelerometer 1"))
    }

    @Test("a run comes to the same as its samples", arguments: 0..<40 as Range<UInt64>)
    func runs(seed: UInt64) throws {
        var dice = SeededGenerator(seed: seed)
        let other = try SinkTests()
        var sequence: UInt64 = 0
        var now = at(0)
        for client in 1...Int.random(in: 1...4, using: &dice) {
            var request = Request(resource: .accelerometer)
            request.intervalNanoseconds = [0, interval, 2 * interval, 7 * interval].randomElement(using: &dice)
            request.batchNanoseconds = [0, 5 * interval, 300 * interval].randomElement(using: &dice)
            for device in [self, other] {
                let grant = Grant(request, within: device.accelerometer.core.limits)
                device.accelerometer.join(Client(client), grant, inheriting: nil, to: device.sink, now: now)
                device.device.settle(to: device.sink, now: now)
            }
        }
        for round in 0..<40 {
            var events: [DeviceEvent] =
                round == 0 || Int.random(in: 0...19, using: &dice) == 0 ? [.opened, .state(.active)] : []
            for _ in 0..<Int.random(in: 1...(round % 10 == 9 ? 3_000 : 30), using: &dice) {
                if Int.random(in: 0...99, using: &dice) == 0 {
                    events.append(
                        .gap(
                            Gap(cause: .deviceOverflow, count: 1, from: at(Int64(sequence)), until: at(Int64(sequence)))
                        ))
                } else {
                    events.append(.sample(Samples.acceleration(sequence, at: at(Int64(sequence)).nanoseconds)))
                }
                sequence += 1
            }
            now = at(Int64(sequence))
            if Int.random(in: 0...9, using: &dice) == 0 {
                for device in [self, other] {
                    device.accelerometer.wait(
                        WaitingRead(
                            connection: ConnectionToken(slot: 9, generation: 0), since: now,
                            deadline: now + 3 * interval))
                }
            }
            other.take(events, now: now)
            take(events.joined, now: now)
            #expect(sink.take() == other.sink.take(), "round \(round)")
            #expect(device.deadline == other.device.deadline)
            if let deadline = device.deadline, Bool.random(using: &dice) {
                for device in [self, other] { device.device.expire(to: device.sink, now: deadline) }
                #expect(sink.take() == other.sink.take(), "deadline after round \(round)")
            }
        }
    }

    @Test("gathered readings are sent to a client that leaves, and to all when no more will come")
    func gathered() {
        for client: Client in [1, 2] {
            var request = Request(resource: .accelerometer)
            (request.intervalNanoseconds, request.batchNanoseconds) = (interval, 100 * interval)
            let grant = Grant(request, within: accelerometer.core.limits)
            accelerometer.join(client, grant, inheriting: nil, to: sink, now: at(0))
        }
        device.settle(to: sink, now: at(0))
        take([.opened, .state(.active)] + scan(1) + scan(2), now: at(2))
        _ = sink.take()
        #expect(accelerometer.leave(1, to: sink, now: at(2))?.delivered == 2)
        #expect(sink.take() == ["1: accelerometer 1 2"])
        accelerometer.sendRest(to: sink, now: at(2))
        #expect(sink.take() == ["2: accelerometer 1 2"])
    }

    @Test("a device that counts from 0 again while it is in use has its resources active before their readings")
    func openedInUse() {
        device.take([.opened, .state(.active)], to: sink, now: at(0))
        join(1, accelerometer, now: at(0))
        device.take(scan(0), to: sink, now: at(0))
        join(2, gyroscope, now: at(1))
        _ = sink.take()
        device.take([.opened] + scan(1), to: sink, now: at(1))
        let lines = sink.take().filter { $0.contains("gyroscope") }
        #expect(lines == ["gyroscope active", "2: gyroscope 1"])
    }
}
