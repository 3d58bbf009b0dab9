import Glibc
import Readings
import Simulation
import Testing

@testable import Delivery

/// Samples from which nothing follows, which the loop is therefore not woken for.
@Suite("Indifference to samples") struct IndifferenceTests {
    private let device = Device()
    private let resource = OwnedResource(Resource(name: .accelerometer, kind: .acceleration), at: 0)
    private let sink = WrittenSink()
    private let period: Int64 = 100_000_000
    private static let upright = Acceleration(x: 0, y: 9.81, z: 0)
    private static let derivation = Client.derivation(0)

    init() {
        device.adopt(resource)
        var profile = DeviceProfile(
            offered: .discrete([period]), intervalNanoseconds: period, description: nil, simulated: true)
        profile.kinds = [.acceleration]
        device.take([.profile(profile)], to: sink, now: at(0))
    }

    private func at(_ index: Int64) -> BootTime { BootTime(nanoseconds: 1_000_000_000 + index * period) }

    private func measured(_ x: Double) -> Measurement { .values(Acceleration(x: x, y: 0, z: 9.8)) }

    private func join(_ client: Client, every periods: Int64 = 1, change: Double? = nil, filter: Filter = .newest) {
        var request = Request(resource: .accelerometer)
        request.intervalNanoseconds = periods * period
        request.minimumChange = change
        request.filter = filter
        let grant = Grant(request, within: resource.core.limits)
        resource.join(client, grant, inheriting: nil, to: sink, now: at(0))
        device.settle(to: sink, now: at(0))
    }

    /// The device is open and measures this at times counted from 0.
    private func run(_ values: [Double]) {
        var events: [DeviceEvent] = [.opened, .state(.active)]
        for (index, x) in values.enumerated() {
            events.append(.sample(Samples.acceleration(UInt64(index), at: at(Int64(index)).nanoseconds, x: x)))
        }
        device.take(events, to: sink, now: at(Int64(values.count)))
    }

    private var indifference: Indifference? { device.indifference { _ in nil } }

    @Test("a client that wants changes is indifferent to what differs by less from what it got last")
    func change() throws {
        join(1, change: 0.5)
        #expect(indifference == nil, "nobody knows yet what it will get first")
        run([1, 1.25, 1.75])
        let known = try #require(indifference)
        #expect([1.26, 2.24].allSatisfy { known.covers(measured($0)) })
        #expect(![1.25, 2.25, .nan].contains { known.covers(measured($0)) })
    }

    @Test("a device that nothing happens to need not be looked at again, and whatever happens to it is noted")
    func unchanged() {
        /// Whether the device has changed, which it then has no more, however often it is asked for the answer.
        func hasChanged() -> Bool {
            let change = device.hasChanged
            device.forgetChange()
            _ = (device.deadline, indifference, device.mayBeIndifferent, device.followsDerivations)
            #expect(!device.hasChanged)
            return change
        }
        #expect(hasChanged())
        join(1, change: 0.5)
        #expect(hasChanged())
        run([1, 1.25, 1.75])
        #expect(hasChanged() && !device.followsDerivations)
        device.take([.sample(Samples.acceleration(3, at: at(3).nanoseconds, x: 9))], to: sink, now: at(3))
        #expect(hasChanged())
        device.hang("its driver does not return", to: sink, now: at(4))
        #expect(hasChanged())
        device.hang(nil, to: sink, now: at(4))
        #expect(hasChanged())
        join(Self.derivation)
        #expect(hasChanged() && device.followsDerivations)
        _ = resource.leave(Self.derivation, to: sink, now: at(5))
        device.settle(to: sink, now: at(5))
        #expect(hasChanged() && !device.followsDerivations)
        device.expire(to: sink, now: at(100))
        _ = hasChanged()
        let gap = Gap(cause: .deviceOverflow, count: 1, from: at(100), until: at(100))
        device.take([.gap(gap)], to: sink, now: at(101))
        #expect(hasChanged())
    }

    @Test("what is held until it is due, and has changed, is not covered up by samples that are left in the queue")
    func held() {
        join(1, every: 5, change: 0.5)
        run([1, 2])
        #expect(indifference == nil)
        device.take([.sample(Samples.acceleration(2, at: at(2).nanoseconds, x: 1))], to: sink, now: at(2))
        #expect(indifference != nil, "the newest is held, and that is as before")
    }

    @Test(
        "whoever takes samples as they come is woken for each, beside any others",
        arguments: [(1, .newest), (1, .mean), (5, .newest)] as [(Int64, Filter)])
    func everySample(periods: Int64, filter: Filter) {
        join(1, change: 0.5)
        join(2, every: periods, filter: filter)
        run([1, 1, 1])
        #expect(indifference == nil)
        _ = resource.leave(2, to: sink, now: at(3))
        device.settle(to: sink, now: at(3))
        #expect(indifference != nil)
    }

    @Test("a call that waits for a sample gets the next one")
    func read() {
        join(1, change: 0.5)
        run([1])
        resource.wait(
            WaitingRead(connection: ConnectionToken(slot: 1, generation: 0), since: at(1), deadline: at(50)))
        device.settle(to: sink, now: at(1))
        #expect(indifference == nil)
    }

    @Test("after a loss the next sample matters, since the loss goes with it, and so does the first of an opening")
    func loss() {
        join(1, change: 0.5)
        run([1])
        device.take([.state(.unavailable(reason: "it was unplugged"))], to: sink, now: at(2))
        #expect(indifference == nil)
        device.take([.opened, .state(.active)], to: sink, now: at(3))
        #expect(indifference == nil)
    }

    @Test("so many lanes that it is more work to distinguish them than to wake the loop are not distinguished")
    func many() {
        for number in 1...Indifference.mostLanes { join(Client(number), change: 0.5) }
        run([1])
        #expect(indifference != nil)
        join(100, change: 0.5)
        #expect(indifference == nil)
    }

    @Test("a derivation is indifferent to what leaves what it derives as it is, near the threshold as far from it")
    func derivation() throws {
        join(Self.derivation)
        run([0])
        #expect(indifference == nil, "it has derived nothing yet")
        var tracker = try #require(Tracker(.orientation))
        _ = tracker.follow(Self.upright, along: .device)
        let known = try #require(device.indifference { _ in .unturned(tracker, along: .device) })
        for degrees in stride(from: 0.0, through: 180, by: 0.25) {
            let angle = degrees * .pi / 180
            let tilted = Acceleration(x: 9.81 * sin(angle), y: 9.81 * cos(angle), z: 0)
            var copy = tracker
            #expect(known.covers(.values(tilted)) == !copy.follow(tilted, along: .device))
        }
        join(3)
        #expect(device.indifference { _ in .unturned(tracker, along: .device) } == nil, "somebody shares its lane")
    }

    @Test("of two derivations that share a lane, both must be indifferent")
    func derivations() throws {
        join(.derivation(0))
        join(.derivation(1))
        run([0])
        let trackers = try [Kind.orientation, .tilt].map { kind in
            var tracker = try #require(Tracker(kind))
            _ = tracker.follow(Self.upright, along: .device)
            return tracker
        }
        let known = try #require(device.indifference { .unturned(trackers[$0.number], along: .device) })
        #expect(known.covers(.values(Self.upright)))
        let (turned, leaning) = (Acceleration(x: 9.81, y: 0, z: 0), Acceleration(x: 0, y: 9, z: 3))
        #expect(!known.covers(.values(turned)), "another edge is up, and the screen as upright as before")
        #expect(!known.covers(.values(leaning)), "the same edge is up, and the screen leans")
        #expect(device.indifference { $0 == 0 ? .unturned(trackers[0], along: .device) : nil } == nil)
    }
}
