import Glibc
import Testing

@testable import SensorBroker

/// A Swift program as a sensor of the daemon as a process, read by another.
@Suite(.timeLimit(.minutes(30))) struct ProvidedTests {
    private static let configuration = """
        [Feed accelerometer:arm]
        [Feed gyroscope:arm]
        [Feed location:phone]

        """

    private func daemon() throws -> DaemonProcess {
        let daemon = try DaemonProcess(isStarted: false)
        try daemon.start(configuration: Self.configuration)
        return daemon
    }

    private func name(_ text: String) throws -> ResourceName { try #require(ResourceName(text)) }

    /// The number of a sample is its value, so that a reading shows which one it is.
    private func acceleration(_ number: Int) -> Acceleration { Acceleration(x: Double(number), y: -0.125, z: 9.81) }

    /// Sends a sample each two milliseconds while they are wanted, until it is cancelled; the times of all that were sent.
    private func send(_ provider: SensorProvider<Acceleration, AngularVelocity>) async -> [BootTime] {
        var times: [BootTime] = []
        while !Task.isCancelled {
            if provider.demand != .nobody {
                times.append(.now)
                let number = times.count - 1
                provider.send(
                    acceleration(number), AngularVelocity(x: 0, y: 0, z: Double(number) / 1_000), at: times[number])
            }
            try? await Task.sleep(for: .milliseconds(2))
        }
        return times
    }

    @Test("what a program sends is what others read, with its times; it gets what they want, and that nobody does")
    func values() async throws {
        let daemon = try daemon()
        let offer = SensorOffer(
            device: "an arm", intervals: .range(.milliseconds(1) ... .seconds(1)), rest: nil, isSimulated: false)
        let provider = Broker(socket: daemon.socket).provide(
            Acceleration.self, AngularVelocity.self, named: "accelerometer:arm", "gyroscope:arm", offer: offer)
        var demands = provider.demands.makeAsyncIterator()
        #expect(try await demands.next() == .nobody)

        var configuration = Broker.Configuration(.daemon(socket: daemon.socket))
        configuration.grace = .zero
        let broker = Broker(configuration)
        let resources = try await broker.resources()
        let described = try #require(resources.first { $0.name.description == "gyroscope:arm" })
        #expect(described.kind == .angularVelocity && described.device == "an arm" && !described.isSimulated)

        let sender = Task { await send(provider) }
        var readings: [Reading<Acceleration>] = []
        do {
            let sensor = Accelerometer(
                broker: broker, resource: try name("accelerometer:arm"), updateInterval: .everySample)
            sensor.mutateRequest { $0.interval = .milliseconds(4) }
            var iterator = sensor.readings.makeAsyncIterator()
            while readings.count < 50, let reading = try await iterator.next() { readings.append(reading) }
            #expect(provider.demand == .samples(every: .milliseconds(4), latency: .zero))
        }
        // The broker keeps a device warm for ten seconds, in case somebody comes.
        while let demand = try await demands.next(), demand != .nobody {}
        sender.cancel()
        let times = await sender.value
        for reading in readings {
            let number = Int(reading.value.x)
            #expect(reading.value == acceleration(number) && reading.timestamp == times[number])
        }
        #expect(zip(readings, readings.dropFirst()).allSatisfy { $0.timestamp < $1.timestamp })
    }

    @Test("after a restart of the broker it is provided again, and its readers go on")
    func restart() async throws {
        let daemon = try daemon()
        let provider = Broker(socket: daemon.socket).provide(
            Acceleration.self, AngularVelocity.self, named: "accelerometer:arm", "gyroscope:arm")
        for try await _ in provider.demands { break }
        let sender = Task { await send(provider) }
        let gyroscope = Gyroscope(broker: Broker(socket: daemon.socket), resource: try name("gyroscope:arm"))
        gyroscope.mutateRequest { $0.waitsForResource = true }
        var events = gyroscope.events.makeAsyncIterator()
        for isInOrder in [true, false] {
            while let event = try await events.next() { if case .reading = event { break } }
            if isInOrder { daemon.stop() } else { daemon.kill() }
            try daemon.start()
        }
        while let event = try await events.next() { if case .reading = event { break } }
        sender.cancel()
        _ = await sender.value
    }

    @Test("a location arrives as it was sent, with its satellites")
    func location() async throws {
        let daemon = try daemon()
        let provider = Broker(socket: daemon.socket).provide(Location.self, named: "location:phone")
        for try await _ in provider.demands { break }
        var location = Location(fix: .threeDimensional)
        location.latitudeDegrees = 52.520_008
        location.longitudeDegrees = 13.404_954
        location.altitudeMeters = 34
        location.speedMetersPerSecond = 1.5
        var satellite = Satellite(prn: 7, isUsed: true)
        satellite.system = .gps
        satellite.elevationDegrees = 45
        location.satellites = [satellite]
        let manager = LocationManager(
            broker: Broker(socket: daemon.socket), resource: try name("location:phone"), updateInterval: .everySample)
        manager.mutateRequest { $0.satellites = true }
        var readings = manager.readings.makeAsyncIterator()
        let sender = Task { [location] in
            while !Task.isCancelled {
                provider.send(location)
                try? await Task.sleep(for: .milliseconds(2))
            }
        }
        let reading = try #require(try await readings.next())
        sender.cancel()
        await sender.value
        #expect(reading.value == location)
    }

    @Test("a name without a section, and one that is provided already, are refused with what to do")
    func refused() async throws {
        let daemon = try daemon()
        let broker = Broker(socket: daemon.socket)
        let unknown = broker.provide(Temperature.self)
        let notAllowed = await #expect(throws: SensorError.self) { for try await _ in unknown.demands {} }
        #expect(notAllowed.map { "\($0)" }?.contains("[Feed temperature]") == true, "\(String(describing: notAllowed))")

        let first = broker.provide(Acceleration.self, named: "accelerometer:arm")
        for try await _ in first.demands { break }
        let second = broker.provide(Acceleration.self, named: "accelerometer:arm")
        let taken = await #expect(throws: SensorError.self) { for try await _ in second.demands {} }
        guard case .nameTaken(first.names[0], let holder)? = taken else {
            Issue.record("\(String(describing: taken))")
            return
        }
        #expect(holder.contains("process \(getpid())"))
        // Once it is free, another program has it.
        first.end()
        for try await event in second.events { if case .demand = event { break } }
        #expect(second.error == nil)
    }

    @Test("samples that cannot be true are refused, and the program learns which")
    func impossible() async throws {
        let daemon = try daemon()
        let provider = Broker(socket: daemon.socket).provide(Acceleration.self, named: "accelerometer:arm")
        for try await _ in provider.demands { break }
        let sensor = Accelerometer(
            broker: Broker(socket: daemon.socket), resource: provider.names[0], updateInterval: .everySample)
        sensor.startUpdates()
        while provider.demand == .nobody { try await Task.sleep(for: .milliseconds(1)) }
        var events = provider.events.makeAsyncIterator()
        let now = BootTime.now
        provider.send(acceleration(1), at: now)
        provider.send(acceleration(2), at: now)
        while let event = try await events.next() {
            guard case .refused(let count, let reason) = event else { continue }
            #expect(count == 1 && reason.contains("not later"), "\(event)")
            break
        }
    }
}
