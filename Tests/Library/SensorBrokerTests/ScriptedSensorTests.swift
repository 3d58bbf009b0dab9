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

    @Test("while the broker is away the state is stale, and the next reading follows a gap, if there was one before")
    func absence() async throws {
        let sensor = ScriptedSensor(
            location: time, .disconnect(.brokerStopped(path: "/x")), .reading(Self.berlin), .disconnect(.disconnected),
            .wait(.seconds(2)), .reading(Self.berlin), .reading(Self.berlin), .fail(.timedOut))
        time.advance(by: .seconds(1))
        #expect(sensor.state == .stale(reason: "\(SensorError.disconnected)") && sensor.latest != nil)
        time.advance(by: .seconds(1))
        #expect(sensor.state == .active)
        var events: [SensorEvent<Location>] = []
        await #expect(throws: SensorError.timedOut) { for try await event in sensor.events { events.append(event) } }
        let zero = BootTime(nanoseconds: 0)
        let gap = Gap(
            resource: .location, cause: .disconnected, count: nil, from: zero, until: zero.advanced(by: .seconds(2)))
        #expect(events.count == 6 && events.dropFirst(3).first == .gap(gap), "\(events)")
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

        // As from a broker: until it is back, nobody need wait for it.
        await #expect(throws: SensorError.resourceUnavailable(.location, reason: "gone")) {
            try await sensor.requestLocation()
        }
        sensor.play([.state(.released)])
        time.advance(by: .zero)
        await #expect(throws: SensorError.self) { try await sensor.requestLocation() }
        sensor.play([.recover])
        time.advance(by: .zero)

        let cancelled = Task { try await sensor.requestLocation() }
        await sensor.untilRequested()
        cancelled.cancel()
        await #expect(throws: SensorError.cancelled) { try await cancelled.value }
    }

    @Test("readings that are not accurate enough, or not far enough, are left out as by the real one")
    func filters() async throws {
        let near = Location(latitudeDegrees: 52.500_01, longitudeDegrees: 13.4)
        let far = Location(latitudeDegrees: 52.501, longitudeDegrees: 13.4)
        let vague = Location(latitudeDegrees: 52.6, longitudeDegrees: 13.4, horizontalErrorMeters: 500)
        let unknown = Location(latitudeDegrees: 52.7, longitudeDegrees: 13.4, horizontalErrorMeters: nil)
        let sensor = ScriptedSensor(
            location: time, .reading(Self.berlin), .reading(near), .reading(vague), .reading(unknown), .reading(far),
            .fail(.timedOut))
        sensor.distanceFilter = 50
        sensor.desiredAccuracy = 20
        let before = sensor.readings.makeAsyncIterator()
        time.advance(by: .zero)
        for var iterator in [before, sensor.readings.makeAsyncIterator()] {
            #expect(try await iterator.next()?.value == Self.berlin)
            #expect(try await iterator.next()?.value == far)
            await #expect(throws: SensorError.timedOut) { try await iterator.next() }
        }
    }

    @Test("a request waits for a reading that is accurate enough, and at its deadline gets the best one")
    func accurateRequests() async throws {
        let vague = Location(latitudeDegrees: 52.6, longitudeDegrees: 13.4, horizontalErrorMeters: 500)
        let vaguer = Location(latitudeDegrees: 52.7, longitudeDegrees: 13.4, horizontalErrorMeters: 900)
        let sensor = ScriptedSensor(location: time, .wait(.seconds(1)), .reading(vague), .reading(vaguer))
        sensor.desiredAccuracy = 20
        async let best = sensor.requestLocation(maximumAge: .zero, timeout: .seconds(5))
        await sensor.untilRequested()
        time.advance(by: .seconds(5))
        #expect(try await best.value == vague)
        async let exact = sensor.requestLocation(maximumAge: .seconds(60), timeout: .seconds(5))
        await sensor.untilRequested()
        sensor.play([.reading(vaguer), .reading(Self.berlin)])
        time.advance(by: .zero)
        #expect(try await exact.value == Self.berlin)
    }

    @Test("an invalid setting is refused in a running iteration, and ends a new one")
    func refused() async throws {
        let sensor = ScriptedSensor(location: time, .wait(.seconds(1)), .reading(Self.berlin))
        var iterator = sensor.events.makeAsyncIterator()
        sensor.updateInterval = .seconds(-1)
        sensor.startUpdates()
        guard case .refused(.invalidRequest) = try await iterator.next() else { throw SensorError.timedOut }
        guard case .invalidRequest = sensor.error else { throw SensorError.timedOut }
        await #expect(throws: SensorError.self) { for try await _ in sensor.events {} }
        sensor.updateInterval = nil
        sensor.desiredAccuracy = 0
        guard case .refused(.invalidRequest) = try await iterator.next() else { throw SensorError.timedOut }
        await #expect(throws: SensorError.self) { try await sensor.requestLocation() }
        sensor.desiredAccuracy = nil
        #expect(sensor.error == nil)
        time.advance(by: .seconds(1))
        guard case .reading = try await iterator.next() else { throw SensorError.timedOut }
    }

    @Test("an invalid request leaves the filter of a running iteration as it was")
    func keptFilter() async throws {
        let near = Location(latitudeDegrees: 52.50001, longitudeDegrees: 13.4)
        let far = Location(latitudeDegrees: 53, longitudeDegrees: 13.4)
        let sensor = ScriptedSensor(location: time, .reading(Location(latitudeDegrees: 52.5, longitudeDegrees: 13.4)))
        sensor.distanceFilter = 1000
        var iterator = sensor.events.makeAsyncIterator()
        time.advance(by: .zero)
        guard case .reading = try await iterator.next() else { throw SensorError.timedOut }
        sensor.distanceFilter = -1
        guard case .refused(.invalidRequest) = try await iterator.next() else { throw SensorError.timedOut }
        #expect(sensor.distanceFilter == -1)
        sensor.play([.reading(near), .reading(far)])
        time.advance(by: .zero)
        guard case .reading(let reading) = try await iterator.next() else { throw SensorError.timedOut }
        #expect(reading.value == far)
    }

    private actor Recorder: SensorDelegate {
        var locations: [Location] = []
        var error: SensorError?
        func didUpdate(_ reading: Reading<Location>, of sensor: SensorID) { locations.append(reading.value) }
        func didFail(_ error: SensorError, of sensor: SensorID) { self.error = error }
    }

    @Test("a delegate gets the script, and the state and the age of the newest reading follow it")
    func delegate() async throws {
        let sensor = ScriptedSensor(
            location: time, .reading(Self.berlin), .wait(.seconds(10)), .lose(reason: "unplugged"), .fail(.timedOut))
        #expect(sensor.state == nil)
        let recorder = Recorder()
        sensor.setDelegate(recorder)
        sensor.maximumAge = .seconds(5)
        time.advance(by: .seconds(5))
        #expect(sensor.state == .active && sensor.latest != nil)
        time.advance(by: .seconds(1))
        #expect(sensor.latest == nil)
        time.advance(by: .seconds(4))
        #expect(sensor.state == .unavailable(reason: "unplugged"))
        while await recorder.error == nil { try await Task.sleep(for: .milliseconds(1)) }
        #expect(await recorder.locations == [Self.berlin])
    }

    @Test("code that sleeps on virtual time wakes when the test lets it pass, or when it is cancelled")
    func clock() async throws {
        let time = time
        let sleeper = Task {
            try await time.sleep(for: .seconds(3600))
            return time.now
        }
        await time.untilSleeping()
        time.advance(by: .seconds(3599))
        time.advance(by: .seconds(1))
        #expect(try await sleeper.value == BootTime(nanoseconds: 3_600_000_000_000))
        try await time.sleep(until: BootTime(nanoseconds: 0))
        let cancelled = Task { try await time.sleep(for: .seconds(1)) }
        await time.untilSleeping()
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        let anyClock: any Clock<Duration> = time
        async let other: Void = anyClock.sleep(for: .milliseconds(1))
        await time.untilSleeping()
        time.advance(by: .milliseconds(1))
        try await other
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

@Suite(.timeLimit(.minutes(30))) struct ScriptedBrokerTests {
    /// Code that takes a broker: it gives up what is unused when the connection breaks.
    private struct Housekeeper {
        let broker: any BrokerService

        func run() async -> Int {
            for await event in broker.lifecycle { if case .disconnected = event { return broker.release(.all) } }
            return 0
        }
    }

    @Test("code that takes a broker sees what the test decides")
    func scripted() async throws {
        let resource = SensorResource(
            name: .location, kind: .location, state: .active, intervals: .zero ... .seconds(1),
            defaultInterval: .seconds(1))
        let broker = ScriptedBroker([resource])
        broker.usage = BrokerUsage(subscriptions: 3, unusedSubscriptions: 2)
        var iterator = broker.lifecycle.makeAsyncIterator()
        #expect(await iterator.next() == .resource(resource))
        #expect(try await broker.resources() == [resource])
        async let released = Housekeeper(broker: broker).run()
        while broker.releases.isEmpty {
            broker.send(.disconnected(.disconnected))
            await Task.yield()
        }
        #expect(await released == 2)
        #expect(broker.releases == [ScriptedBroker.Release(.all, evenInUse: false)] && broker.usage.subscriptions == 1)
        broker.setResources(.failure(.brokerMissing(paths: [])))
        await #expect(throws: SensorError.brokerMissing(paths: [])) { try await broker.resources() }
    }
}
