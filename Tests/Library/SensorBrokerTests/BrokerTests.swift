import SensorBroker
import SensorBrokerSimulation
import Testing

/// The whole library against a broker in this process, which is the daemon's own code.
@Suite(.timeLimit(.minutes(30))) struct BrokerTests {
    private let broker = Broker(.mock)

    @Test("the shared broker is one object, and its configuration is decided once")
    func shared() async {
        let brokers = await withTaskGroup(of: ObjectIdentifier.self, returning: Set<ObjectIdentifier>.self) { group in
            for _ in 0..<50 { group.addTask { ObjectIdentifier(Broker.shared) } }
            return await group.reduce(into: []) { $0.insert($1) }
        }
        #expect(brokers.count == 1)
        #expect(throws: SensorError.self) { try Broker.configureShared(Broker.Configuration(.mock)) }
    }

    @Test("readings arrive at the requested interval")
    func readings() async throws {
        let accelerometer = Accelerometer(broker: broker, updateInterval: .milliseconds(20))
        // A reading that a busy host held up comes before its place, and what the source left out is a longer step.
        var (last, steps): (BootTime?, Int) = (nil, 0)
        for try await reading in accelerometer.readings {
            steps = last.map { reading.timestamp - $0 == 20_000_000 } == true ? steps + 1 : 0
            last = reading.timestamp
            if steps == 8 { break }
        }
        #expect(steps == 8)
        #expect(accelerometer.latest != nil)
    }

    @Test("a grant and a state come before the first reading")
    func order() async throws {
        var kinds: [String] = []
        for try await event in LocationManager(broker: broker).events {
            switch event {
            case .grant(let grant):
                #expect(grant.resource == .location)
                kinds.append("grant")
            case .state: kinds.append("state")
            case .reading: kinds.append("reading")
            default: kinds.append("other")
            }
            if kinds.last == "reading" { break }
        }
        #expect(kinds.contains("grant") && kinds.contains("state") && kinds.last == "reading")
    }

    @Test("an interval that is set while readings arrive applies from then on")
    func liveChange() async throws {
        let accelerometer = Accelerometer(broker: broker, updateInterval: .milliseconds(200))
        var grants: [Duration] = []
        var fast = 0
        var last: BootTime?
        for try await event in accelerometer.events {
            switch event {
            case .grant(let grant):
                if grants.last != grant.interval { grants.append(grant.interval) }
            case .reading(let reading):
                if grants.count == 1 { accelerometer.updateInterval = .milliseconds(10) }
                if let last, reading.timestamp - last == 10_000_000 { fast += 1 }
                last = reading.timestamp
            default: break
            }
            if fast == 5 { break }
        }
        #expect(grants == [.milliseconds(200), .milliseconds(10)])
        #expect(broker.usage.connections <= 2)
    }

    @Test("a request for a location is answered; one for an unknown resource is an error with that reason")
    func requests() async throws {
        let reading = try await LocationManager(broker: broker).requestLocation(timeout: .seconds(600))
        #expect(reading.value.latitudeDegrees != nil)
        #expect(broker.location == reading.value)
        let name = try #require(ResourceName("accelerometer:9"))
        let error = await #expect(throws: SensorError.self) {
            try await Accelerometer(broker: broker, resource: name).requestReading(timeout: .patience)
        }
        #expect(error == .noSuchResource(name))
        #expect(
            await #expect(throws: SensorError.self) {
                try await Accelerometer(broker: broker, resource: .location).requestReading(timeout: .patience)
            } == .wrongKind(.location))
    }

    @Test("an iteration over a missing resource ends with an error, and affects no other")
    func wrongResource() async throws {
        let name = try #require(ResourceName("barometer"))
        let good = Accelerometer(broker: broker).readings.makeAsyncIterator()
        let error = await #expect(throws: SensorError.self) {
            for try await _ in Accelerometer(broker: broker, resource: name).events {}
        }
        #expect(error == .noSuchResource(name))
        var iterator = good
        for _ in 0..<3 { #expect(try await iterator.next() != nil) }
        #expect(
            await #expect(throws: SensorError.self) {
                for try await _ in Accelerometer(broker: broker, resource: .location).readings {}
            } == .wrongKind(.location))
    }

    @Test("an invalid request is refused with the reason")
    func badInput() async {
        let location = LocationManager(broker: broker, updateInterval: .seconds(-1))
        let error = await #expect(throws: SensorError.self) { for try await _ in location.events {} }
        #expect(error?.description.contains("negative") == true)
        location.updateInterval = nil
        location.distanceFilter = .nan
        await #expect(throws: SensorError.self) { for try await _ in location.events {} }
        location.distanceFilter = nil
        location.desiredAccuracy = .nan
        await #expect(throws: SensorError.self) { for try await _ in location.events {} }
        await #expect(throws: SensorError.self) { try await location.requestLocation(timeout: .patience) }
    }

    @Test("a cancelled task ends its iteration and its request")
    func cancellation() async throws {
        let accelerometer = Accelerometer(broker: broker, updateInterval: .seconds(1000))
        let task = Task {
            var count = 0
            for try await _ in accelerometer.events { count += 1 }
            return count
        }
        while broker.usage.listeners == 0 { try await Task.sleep(for: .milliseconds(1)) }
        task.cancel()
        _ = try await task.value
        while broker.usage.listeners > 0 { try await Task.sleep(for: .milliseconds(1)) }
        let request = Task {
            try await LocationManager(broker: broker).requestLocation(maximumAge: .zero, timeout: .seconds(9))
        }
        request.cancel()
        // Cancelled before the answer, or answered before it was cancelled.
        let result = await request.result
        if case .failure(let error) = result { #expect(error as? SensorError == .cancelled) }
    }

    @Test("an iterator may be kept and asked on the main actor")
    @MainActor func mainActorIteration() async throws {
        var iterators = (0..<2).map { _ in Accelerometer(broker: broker).readings.makeAsyncIterator() }
        for index in iterators.indices { #expect(try await iterators[index].next() != nil) }
        for var iterator in iterators { #expect(try await iterator.next() != nil) }
    }

    @Test("the list of resources is complete")
    func resources() async throws {
        let resources = try await broker.resources()
        #expect(resources.map(\.name) == [.location, .accelerometer, .orientation, .tilt])
        #expect(resources.allSatisfy { $0.isSimulated && $0.intervals.contains($0.defaultInterval) })
    }

    @Test("lifecycle events begin with the connection and include the resources")
    func lifecycle() async throws {
        var events = broker.lifecycle.makeAsyncIterator()
        var first: LifecycleEvent?
        var seen: Set<String> = []
        while seen.count < 2, let event = await events.next() {
            // A host that is short of memory may report that at any time.
            if case .memoryPressure = event { continue }
            first = first ?? event
            if case .resource(let resource) = event { seen.insert(resource.name.description) }
        }
        #expect(first == .connected)
        #expect(seen == ["location", "accelerometer"])
    }

    @Test("the newest reading remains after the last listener has left")
    func cache() async throws {
        for try await _ in Accelerometer(broker: broker).readings { break }
        #expect(broker.acceleration != nil)
        broker.release(.all)
        while broker.usage.subscriptions > 0 { try await Task.sleep(for: .milliseconds(1)) }
        #expect(broker.acceleration != nil)
    }

    @Test("updates without an iteration keep the newest reading up to date")
    func startUpdates() async throws {
        let location = LocationManager(broker: broker, updateInterval: .milliseconds(100))
        location.startUpdates()
        while location.latest == nil { try await Task.sleep(for: .milliseconds(1)) }
        let first = try #require(location.latest)
        while location.latest == first { try await Task.sleep(for: .milliseconds(1)) }
        location.stopUpdates()
        #expect(broker.usage.listeners == 0)
    }
}
