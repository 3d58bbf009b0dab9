import SensorBroker
import SensorBrokerTesting
import Testing

/// A driver as an application may have it: it measures while somebody wants that.
private final class Driver: Sendable {
    let provider: SensorProvider<Acceleration, AngularVelocity>

    init(_ provider: SensorProvider<Acceleration, AngularVelocity>) { self.provider = provider }

    /// The intervals at which the device ran; nil: it rested.
    func run(until count: Int) async throws -> [Duration?] {
        var intervals: [Duration?] = []
        for try await demand in provider.demands {
            switch demand {
            case .nobody: intervals.append(nil)
            case .samples(let interval, _): intervals.append(interval ?? .milliseconds(20))
            }
            provider.send(Acceleration(x: Double(intervals.count), y: 0, z: 9.81), AngularVelocity(x: 0, y: 0, z: 1))
            if intervals.count == count { break }
        }
        return intervals
    }
}

@Suite(.timeLimit(.minutes(30))) struct ScriptedClientsTests {
    private let time = VirtualTime()

    @Test("a provider's samples are readings, with the times that it gives, or those of the clock")
    func readings() {
        let clients = ScriptedClients(time: time)
        let provider = clients.provide(Temperature.self)
        #expect(provider.names == [.temperature] && clients.isProvided(.temperature))
        time.advance(by: .seconds(1))
        provider.send(Temperature(20))
        provider.send([Temperature(21), Temperature(22)], at: [BootTime(nanoseconds: 5), BootTime(nanoseconds: 6)])
        let readings = clients.readings(Temperature.self)
        #expect(readings.map(\.value.degreesCelsius) == [20, 21, 22])
        #expect(readings.map(\.timestamp.nanoseconds) == [1_000_000_000, 5, 6])
        #expect(clients.readings(Pressure.self).isEmpty)
    }

    @Test("samples that a device of several kinds gathers are sent at once, each with its instant")
    func gathered() {
        let clients = ScriptedClients(time: time)
        let provider = clients.provide(Temperature.self, Pressure.self)
        provider.send(
            [Temperature(21), Temperature(22)], [Pressure(99_000), Pressure(99_010)],
            at: [BootTime(nanoseconds: 5), BootTime(nanoseconds: 6)])
        #expect(clients.readings(Temperature.self).map(\.value.degreesCelsius) == [21, 22])
        #expect(clients.readings(Temperature.self).map(\.timestamp.nanoseconds) == [5, 6])
        #expect(clients.readings(Pressure.self).map(\.timestamp.nanoseconds) == [5, 6])
        #expect(clients.readings(Pressure.self).last?.value == Pressure(99_010))
    }

    @Test("a driver gets what is wanted, and what it sends while nobody wants samples is dropped")
    func demands() async throws {
        let clients = ScriptedClients(time: time, wanting: .samples(every: .milliseconds(10), latency: .zero))
        let driver = Driver(clients.provide(Acceleration.self, AngularVelocity.self, named: "accelerometer:arm"))
        async let intervals = driver.run(until: 3)
        await clients.untilReceived(1)
        clients.want(.samples(every: nil, latency: .zero))
        await clients.untilReceived(2)
        clients.want(.nobody)
        #expect(try await intervals == [.milliseconds(10), .milliseconds(20), nil])
        #expect(driver.provider.demand == .nobody)
        let arm = try #require(ResourceName("accelerometer:arm"))
        #expect(clients.readings(Acceleration.self, of: arm).map(\.value.x) == [1, 2])
        #expect(clients.readings(AngularVelocity.self).count == 2)
    }

    @Test("a slow iteration gets the newest event of each kind, and the sum of what was refused")
    func slow() async throws {
        let clients = ScriptedClients(time: time)
        let provider = clients.provide(Location.self)
        var events = provider.events.makeAsyncIterator()
        clients.refuse(2, reason: "late")
        clients.want(.nobody)
        clients.refuse(3, reason: "impossible")
        clients.want(.nobody)
        #expect(try await events.next() == .demand(.nobody))
        #expect(try await events.next() == .refused(count: 5, reason: "impossible"))
    }

    @Test("an interruption is reported once, and refuses what is sent; a refusal ends an iteration of the demands")
    func interruption() async throws {
        let clients = ScriptedClients(time: time)
        let provider = clients.provide(Location.self)
        var events = provider.events.makeAsyncIterator()
        var demands = provider.demands.makeAsyncIterator()
        #expect(try await events.next() == .demand(.samples(every: nil, latency: .zero)))
        clients.disconnect(.brokerMissing(paths: ["/x"]))
        clients.disconnect(.brokerStopped(path: "/x"))
        #expect(provider.error == .brokerStopped(path: "/x") && !clients.isProvided(.location))
        #expect(try await events.next() == .disconnected(.brokerMissing(paths: ["/x"])))
        provider.send(Location(latitudeDegrees: 1, longitudeDegrees: 2))
        #expect(try await events.next() == .refused(count: 1, reason: "the broker is away"))
        #expect(clients.readings(Location.self).isEmpty)
        // A device need not be switched off and on.
        clients.want(.samples(every: nil, latency: .zero))
        #expect(try await events.next() == .demand(.samples(every: nil, latency: .zero)))
        #expect(try await demands.next() == .samples(every: nil, latency: .zero) && clients.isProvided(.location))
        let taken = SensorError.nameTaken(.location, holder: "gpsd")
        clients.disconnect(taken)
        await #expect(throws: taken) { try await demands.next() }
        #expect(try await demands.next() == nil)
        #expect(try await events.next() == .disconnected(taken))
    }

    @Test("after its end a provider is no sensor; a name that is none ends it at once")
    func ends() async throws {
        let clients = ScriptedClients(time: time)
        let provider = clients.provide(Pressure.self)
        provider.end()
        provider.send(Pressure(1))
        for try await demand in provider.demands { Issue.record("\(demand)") }
        #expect(provider.error == nil && provider.demand == .nobody && !clients.isProvided(.pressure))
        #expect(clients.readings(Pressure.self).isEmpty)
        let nameless = clients.provide(Pressure.self, named: "the barometer")
        let error = await #expect(throws: SensorError.self) { for try await _ in nameless.events {} }
        #expect(error.map { "\($0)" }?.contains("'the barometer' is not a resource's name") == true)
    }

    @Test("the end of a provider ends its iterations")
    func lifetime() async throws {
        let clients = ScriptedClients(time: time)
        var provider: SensorProvider<Pressure>? = clients.provide(Pressure.self)
        let demands = try #require(provider?.demands)
        let iteration = Task {
            var count = 0
            for try await _ in demands { count += 1 }
            return count
        }
        provider = nil
        #expect(try await iteration.value <= 1)
        #expect(!clients.isProvided(.pressure))
    }

    private func survives(_ value: some Providable) {
        #expect(type(of: value).init(value.measured) == value && value.measured.kind == type(of: value).kind)
    }

    @Test("what is sent of a value is the value")
    func values() {
        survives(Acceleration(x: 1, y: -2, z: 3))
        survives(Temperature(-4.5))
        survives(Rotation(x: 0.5, y: 0.5, z: -0.5, w: 0.5))
        survives(AttitudeError(tiltDegrees: 1, headingDegrees: 180))
        survives(Rest(isAtRest: true))
        survives(Proximity(isNear: true, raw: 300))
        survives(Location(latitudeDegrees: 1, longitudeDegrees: 2))
    }
}
