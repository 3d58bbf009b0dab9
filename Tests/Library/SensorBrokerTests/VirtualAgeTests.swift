import SensorBroker
import SensorBrokerTesting
import Testing

/// Waiting for code under test, and how old its readings are, by the test's clock.
@Suite(.timeLimit(.minutes(30))) struct VirtualAgeTests {
    private let time = VirtualTime(timeSince1970: .seconds(1_700_000_000))

    @Test("whoever waits for sleepers or requests that never come is let go by cancellation")
    func cancellation() async {
        let sensor = ScriptedSensor(location: time)
        let sleeping = Task { [time] in await time.untilSleeping() }
        let requested = Task { await sensor.untilRequested(2) }
        await Task.yield()
        sleeping.cancel()
        requested.cancel()
        await sleeping.value
        await requested.value
        let late = Task { [time] in
            while !Task.isCancelled { await Task.yield() }
            await time.untilSleeping()
        }
        late.cancel()
        await late.value
    }

    @Test("as many sleepers and requests are awaited as were asked for, less those that have ended")
    func counts() async throws {
        let first = Task { [time] in try await time.sleep(for: .seconds(1)) }
        await time.untilSleeping()
        time.advance(by: .seconds(1))
        try await first.value
        let both = Task { [time] in await time.untilSleeping(2) }
        let sleepers = (1...2).map { seconds in Task { [time] in try await time.sleep(for: .seconds(seconds)) } }
        await both.value
        time.advance(by: .seconds(2))
        for sleeper in sleepers { try await sleeper.value }
    }

    @Test("a scripted reading is as old as it is by the script's clock")
    func ages() async throws {
        let sensor = ScriptedSensor(accelerometer: time, .reading(Acceleration(x: 0, y: 0, z: 9.81)))
        time.advance(by: .seconds(3))
        let reading = try #require(sensor.latest)
        #expect(reading.age == .seconds(3) && reading.timeSince1970 == .seconds(1_700_000_000))
        time.advance(by: .milliseconds(1))
        #expect(reading.age == .milliseconds(3001))
        let plain = Reading(reading.value, of: .accelerometer, at: .now, sequence: 0)
        #expect(plain.age < .seconds(600) && plain.timeSince1970 > .seconds(1_700_000_000))
        #expect(reading == Reading(reading.value, of: .accelerometer, at: reading.timestamp, sequence: 0))
    }

    @Test("the boot clock is that of readings, and wakes whoever sleeps on it")
    func bootClock() async throws {
        let clock: some Clock<Duration> = .boot
        let before = BootTime.now
        try await clock.sleep(for: .milliseconds(2))
        #expect(before.duration(to: BootClock().now) >= .milliseconds(2))
        let sleeper = Task { try await BootClock().sleep(for: .seconds(3600)) }
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
    }

    /// As few members as a double needs.
    final class Lamp: SensorService {
        var request = SensorRequest(.light)
        var maximumAge: Duration?
        let events: SensorEvents<Illuminance>
        private let delegation = Delegation<Illuminance>()

        init(_ events: SensorEvent<Illuminance>...) { self.events = SensorEvents(events) }

        func mutateRequest(_ body: (inout SensorRequest) -> Void) { body(&request) }

        func setDelegate(reference: DelegateReference<Illuminance>?) { delegation.set(reference, to: events) }
    }

    @Test("a double with five members answers requests from its events")
    func double() async throws {
        let reading = Reading(Illuminance(12), of: .light, at: BootTime(nanoseconds: 1))
        let lamp = Lamp(.state(.active), .reading(reading))
        #expect(try await lamp.requestReading() == reading)
        #expect(lamp.latest == nil && lamp.state == nil && lamp.error == nil)
        await #expect(throws: SensorError.timedOut) { try await Lamp(.state(.active)).requestReading() }
    }

    @Test("a double may report conditions")
    func conditions() {
        let event = ConditionEvent<Location>(name: "home", isSatisfied: true)
        #expect(event.reading == nil && event.isSatisfied == true)
    }
}
