import Foundation
import Glibc
import Platform
import SensorBrokerSimulation
import Testing

@testable import SensorBroker

@Suite struct ConfigurationTests {
    @Test("without environment variables it is the daemon at its usual paths")
    func standard() {
        let configuration = Broker.Configuration(Environment(userRuntimeDirectory: "/run/user/1"))
        #expect(configuration.transport == .daemon(socket: nil))
        #expect(
            configuration.paths == [
                "/run/sensorbroker/io.sensorbroker.Broker", "/run/user/1/sensorbroker/io.sensorbroker.Broker",
            ])
    }

    @Test("the environment chooses the transport and the socket")
    func environment() {
        #expect(Broker.Configuration(Environment(transport: "mock", socket: "/x")).transport == .mock)
        let scenario = Broker.Configuration(Environment(transport: "mock:city-drive")).transport
        #expect(scenario == .mock(scenario: "city-drive") && scenario != .mock)
        #expect(Broker.Configuration(Environment(transport: "replay:/a b")).transport == .replay(file: "/a b"))
        #expect(Broker.Configuration(Environment(transport: "daemon", socket: "/x")).paths == ["/x"])
        #expect(Broker.Configuration(Environment(socket: "/x")).transport == .daemon(socket: "/x"))
    }

    @Test("the daemon is the one that the environment names, however the configuration is made")
    func namedDaemon() {
        let named = Environment(socket: "/x")
        var configuration = Broker.Configuration(.daemon, named)
        #expect(configuration.paths == ["/x"] && Dialer(configuration).patienceNanoseconds == 1_000_000_000)
        configuration.transport = .daemon(socket: "/y")
        #expect(configuration.paths == ["/y"])
        configuration.transport = .mock
        #expect(configuration.paths.isEmpty)
    }

    @Test("an unknown transport is an error for users of the broker, which lists the known ones")
    func unknown() async {
        let broker = Broker(Broker.Configuration(Environment(transport: "telepathy")))
        let error = await #expect(throws: SensorError.self) { try await broker.resources() }
        #expect(error?.description.contains("telepathy") == true)
        #expect(error?.description.contains("mock") == true)
    }

    @Test("a transport that cannot be ends iterations, since waiting would not help", .timeLimit(.minutes(30)))
    func noTransport() async throws {
        for transport in ["telepathy", "mock:nowhere", "replay:/nowhere/at all"] {
            let broker = Broker(Broker.Configuration(Environment(transport: transport)))
            let sensor = Accelerometer(broker: broker)
            sensor.startUpdates()
            await #expect(throws: SensorError.self) { for try await _ in sensor.readings {} }
            guard case .invalidRequest = sensor.error else {
                Issue.record("\(String(describing: sensor.error))")
                continue
            }
        }
    }

    @Test("an invalid recording is an error with a remedy")
    func noRecording() async {
        let broker = Broker(.replay(file: "/nowhere/at all"))
        let error = await #expect(throws: SensorError.self) { try await broker.resources() }
        #expect(error?.description.contains("/nowhere/at all") == true)
    }

    @Test("a recording is replayed to managers without a change of the program")
    func replay() async throws {
        let file = FileManager.default.temporaryDirectory.path + "/recording-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: file) }
        let lines = (0..<1_000).map { index in
            "{\"resource\":\"accelerometer\",\"sequence\":\(index),\"timestampNanoseconds\":\(index * 10_000_000),"
                + "\"values\":{\"columns\":{\"x\":[\(index).5],\"y\":[0.0],\"z\":[9.81]}}}\n"
        }
        try lines.joined().write(toFile: file, atomically: true, encoding: .utf8)
        let broker = Broker(.replay(file: file))
        var seen: [Double] = []
        for try await reading in Accelerometer(broker: broker, updateInterval: .milliseconds(10)).readings {
            seen.append(reading.value.x)
            if seen.count == 5 { break }
        }
        #expect(zip(seen, seen.dropFirst()).allSatisfy { $0 < $1 })
        #expect(seen.allSatisfy { $0.truncatingRemainder(dividingBy: 1) == 0.5 && $0 < 1_000 })
        #expect(try await broker.resources().map(\.isSimulated) == [true, true, true])
    }

    @Test("a kind that has only a row gets a manager of its own type")
    func gyroscope() async throws {
        let file = FileManager.default.temporaryDirectory.path + "/recording-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: file) }
        let lines = (0..<1_000).map { index in
            "{\"resource\":\"gyroscope\",\"sequence\":\(index),\"timestampNanoseconds\":\(index * 10_000_000),"
                + "\"values\":{\"columns\":{\"x\":[\(index).5],\"y\":[0.0],\"z\":[-1.5]}}}\n"
        }
        try lines.joined().write(toFile: file, atomically: true, encoding: .utf8)
        let broker = Broker(.replay(file: file))
        for try await reading in Gyroscope(broker: broker, updateInterval: .milliseconds(10)).readings {
            let value: AngularVelocity = reading.value
            #expect(value.z == -1.5 && reading.resource.description == "gyroscope")
            break
        }
        #expect(try await broker.resources().map(\.kind) == [.angularVelocity])
    }

    @Test("values that are no vector have managers of their types, too")
    func scalars() async throws {
        let file = FileManager.default.temporaryDirectory.path + "/recording-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: file) }
        let columns = [
            ("temperature", "{\"value\":[-3.25]}"), ("proximity", "{\"near\":[1.0],\"raw\":[640.0]}"),
            ("rotation", "{\"x\":[0.0],\"y\":[0.0],\"z\":[0.6],\"w\":[0.8]}"),
        ]
        let lines = (0..<1_000).flatMap { index in
            columns.map { name, columns in
                "{\"resource\":\"\(name)\",\"sequence\":\(index),\"timestampNanoseconds\":\(index * 10_000_000),"
                    + "\"values\":{\"columns\":\(columns)}}\n"
            }
        }
        try lines.joined().write(toFile: file, atomically: true, encoding: .utf8)
        let broker = Broker(.replay(file: file))
        let temperature = try await Thermometer(broker: broker).requestReading(timeout: .patience)
        #expect(temperature.value == Temperature(-3.25) && temperature.resource.description == "temperature")
        let proximity = try await ProximitySensor(broker: broker).requestReading(timeout: .patience)
        #expect(proximity.value == Proximity(isNear: true, raw: 640))
        let rotation = try await RotationSensor(broker: broker).requestReading(timeout: .patience)
        #expect(rotation.value == Rotation(x: 0, y: 0, z: 0.6, w: 0.8))
    }

    @Test("a second configuration of the shared broker is an error, unless it is the same one")
    func configuredTwice() throws {
        let shared = SharedConfiguration()
        try shared.put(Broker.Configuration(.mock))
        try shared.put(Broker.Configuration(.mock))
        let error = #expect(throws: SensorError.self) { try shared.put(Broker.Configuration(.daemon(socket: "/x"))) }
        #expect(error?.description.contains("already") == true)
        #expect(shared.take() == Broker.Configuration(.mock))
        #expect(throws: SensorError.self) { try shared.put(Broker.Configuration(.mock)) }
    }

    @Test("errors of connect are translated")
    func refusals() {
        func refusal(_ code: Int32) -> SensorError { Dialer.refusal("/x", SystemError("connect", code: code)) }
        #expect(refusal(EACCES) == .notPermitted(path: "/x"))
        #expect(refusal(ECONNREFUSED) == .brokerStopped(path: "/x"))
        #expect(refusal(EAGAIN).description.contains("accepts no connection: it is stopped"))
        guard case .system = refusal(EMFILE) else {
            Issue.record("\(refusal(EMFILE))")
            return
        }
    }

    @Test(
        "every error has a text for people",
        arguments: [
            SensorError.brokerMissing(paths: ["/a", "/b"]), .brokerStopped(path: "/a"), .notPermitted(path: "/a"),
            .disconnected, .ended(reason: "shutdown"), .ended(reason: "slowClient"), .noSuchResource(.location),
            .wrongKind(.location),
            .resourceUnavailable(.location, reason: "unplugged"), .timedOut, .tooManySubscriptions,
            .invalidRequest("x is wrong"), .unintelligible("x"), .system("x"), .cancelled, .forked,
            .notAllowed(.location, reason: "x"), .nameTaken(.location, holder: "gpsd"),
        ])
    func texts(error: SensorError) { #expect(error.description.count > 8) }

    @Test("whoever may not read a resource is not sent into the socket's group")
    func resourceNotPermitted() {
        let text = SensorError.notPermitted(path: "this resource").description
        #expect(text.contains("Groups=") && !text.contains("usermod"))
    }

    @Test("whoever may not provide is sent into the group of that socket")
    func feedNotPermitted() {
        for (name, group) in [("Feed", "sensorbroker-feed"), ("Broker", "sensorbroker")] {
            let error = SensorError.notPermitted(path: "/run/sensorbroker/io.sensorbroker.\(name)")
            #expect(error.description.contains("usermod -aG \(group) $USER"))
        }
    }

    @Test("durations are clamped to what fits in nanoseconds")
    func durations() {
        #expect(Duration.milliseconds(20).clampedNanoseconds == 20_000_000)
        #expect(Duration.seconds(Int64.max).clampedNanoseconds == .max)
        #expect(Duration.seconds(Int64.min).clampedNanoseconds == .min)
        #expect(Duration.nanoseconds(-5).clampedNanoseconds == -5)
    }
}
