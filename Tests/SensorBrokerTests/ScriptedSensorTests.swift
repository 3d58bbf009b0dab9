import SensorBroker
import SensorBrokerTesting
import Testing

@Suite(.timeLimit(.minutes(30))) struct ScriptedSensorTests {
    private let time = VirtualTime()
    private static let berlin = Location(latitudeDegrees: 52.5, longitudeDegrees: 13.4)

    @Test("an iteration sees the whole script, whenever it begins")
    func script() async throws {
        let sensor = ScriptedSensor(
            location: time, .reading(Self.berlin), .wait(.seconds(1)), .lose(reason: "unplugged"), .wait(.seconds(1)),
            .recover, .reading(Self.berlin), .fail(.timedOut))
        time.advance(by: .milliseconds(1500))
        #expect(sensor.latest == nil)
        time.advance(by: .seconds(1))
        var events: [SensorEvent<Location>] = []
        let error = await #expect(throws: SensorError.self) {
            for try await event in sensor.events { events.append(event) }
        }
        #expect(error == .timedOut)
        #expect(events.count == 5)
        #expect(events[0] == .reading(Reading(Self.berlin, of: .location, at: BootTime(nanoseconds: 0), sequence: 0)))
        guard case .gap(let gap) = events[1] else { throw SensorError.timedOut }
        #expect(gap.cause == .deviceLost && gap.until == BootTime(nanoseconds: 1_000_000_000))
        #expect(events[2] == .state(.unavailable(reason: "unplugged")))
        #expect(events[3] == .state(.active))
    }

    @Test("there is one reading per interval, in virtual time")
    func readings() async throws {
        let values = (1...3).map { Acceleration(x: Double($0), y: 0, z: 9.81) }
        let sensor = ScriptedSensor(accelerometer: time, .readings(values, every: .milliseconds(10)))
        var iterator = sensor.readings.makeAsyncIterator()
        for (index, value) in values.enumerated() {
            time.advance(by: .milliseconds(10))
            let reading = try await iterator.next()
            #expect(reading?.value == value)
            #expect(reading?.timestamp.nanoseconds == Int64(index + 1) * 10_000_000)
        }
    }

    @Test("a request is answered by the next reading, or in time, or by the loss of the device")
    func requests() async throws {
        let sensor = ScriptedSensor(location: time, .wait(.seconds(1)), .reading(Self.berlin))
        async let answer = sensor.requestLocation(maximumAge: .zero, timeout: .seconds(5))
        await sensor.untilRequested()
        time.advance(by: .seconds(1))
        #expect(try await answer.value == Self.berlin)
        #expect(try await sensor.requestLocation(maximumAge: .seconds(5), timeout: .zero).value == Self.berlin)

        let late = Task { try await sensor.requestLocation(maximumAge: .zero, timeout: .seconds(5)) }
        await sensor.untilRequested()
        time.advance(by: .seconds(5))
        await #expect(throws: SensorError.timedOut) { try await late.value }

        let lost = Task { try await sensor.requestLocation() }
        await sensor.untilRequested()
        sensor.play([.lose(reason: "gone")])
        time.advance(by: .zero)
        await #expect(throws: SensorError.resourceUnavailable(.location, reason: "gone")) { try await lost.value }

        let cancelled = Task { try await sensor.requestLocation() }
        await sensor.untilRequested()
        cancelled.cancel()
        await #expect(throws: SensorError.cancelled) { try await cancelled.value }
    }

    @Test("settings can be inspected")
    func settings() {
        let sensor = ScriptedSensor(location: time)
        let service: any LocationService = sensor
        service.updateInterval = .seconds(1)
        service.updateInterval = nil
        service.desiredAccuracy = 10
        service.distanceFilter = 5
        #expect(sensor.intervals == [.seconds(1), nil])
        #expect(sensor.desiredAccuracy == 10 && sensor.distanceFilter == 5)
    }

    @Test("sensors that share a clock play together, in order")
    func sharedClock() {
        let location = ScriptedSensor(location: time, .wait(.seconds(2)), .reading(Self.berlin))
        let acceleration = ScriptedSensor(
            accelerometer: time, .wait(.seconds(1)), .reading(Acceleration(x: 0, y: 0, z: 1)))
        time.advance(by: .milliseconds(1999))
        #expect(location.latest == nil && acceleration.latest != nil)
        time.advance(by: .milliseconds(1))
        #expect(location.latest?.timestamp == BootTime(nanoseconds: 2_000_000_000))
    }
}
