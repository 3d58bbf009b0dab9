import Platform
import ScriptedService
import SensorBrokerSimulation
import Testing
import Varlink

@testable import SensorBroker

/// An accuracy is applied here, a minimum change usually by the broker; what is too inaccurate must not count for the change.
@Suite(.timeLimit(.minutes(30))) struct AccuracyTests {
    /// A location so many metres north of a point.
    private func location(_ meters: Double, error: Double) -> JSONValue {
        [
            "resource": "location", "sequence": 1, "timestampNanoseconds": .integer(Clock.bootNanoseconds()),
            "location": [
                "fix": "3D", "latitudeDegrees": .number(52 + meters / 111_265), "longitudeDegrees": 13.0,
                "horizontalErrorMeters": .number(error),
            ],
        ]
    }

    @Test("readings that are too inaccurate do not count for the distance filter")
    func distance() async throws {
        let places = [(0, 3), (6, 50), (8, 3), (10, 3), (13.5, 3)] as [(Double, Double)]
        let begin: JSONObject = [
            "subscription": "s", "revision": 1,
            "grants": [["resource": "location", "intervalNanoseconds": 1_000_000, "batchNanoseconds": 0]],
            "resources": [HubBench.resource("location")],
        ]
        let readings: [JSONObject] = places.map { ["readings": [location($0.0, error: $0.1)]] }
        let server = try ScriptedServer { call in
            call.method == "Subscribe" ? .replies([begin] + readings, continues: true) : .init()
        }
        let manager = LocationManager(broker: Broker(socket: server.path))
        manager.desiredAccuracy = 10
        manager.distanceFilter = 5
        var seen: [Double] = []
        for try await reading in manager.readings {
            seen.append((((reading.value.latitudeDegrees ?? 0) - 52) * 111_265).rounded())
            if seen.last == 14 { break }
        }
        #expect(seen == [0, 8, 14])
        // The broker does not know which readings count.
        let call = try #require(server.calls.first { $0.method == "Subscribe" })
        let requests = try call.parameters.objects("requests")
        #expect(try requests.map { try $0.optionalNumber("minimumChange") } == [nil])
    }

    @Test("a manager's request is what it was set to, and releases its subscription by that")
    func release() async throws {
        let broker = Broker(.mock)
        let manager = LocationManager(broker: broker, updateInterval: .milliseconds(100))
        manager.distanceFilter = 0.5
        manager.startUpdates()
        manager.desiredAccuracy = 1_000
        #expect(manager.request.minimumChange == 0.5)
        // Another one, whose request is what the broker gets of the first one, is not meant.
        let other = LocationManager(broker: broker, updateInterval: .milliseconds(200))
        other.startUpdates()
        #expect(broker.release(.one(manager.request), evenInUse: true) == 1)
        #expect(manager.error == .cancelled && other.error == nil)
        other.stopUpdates()
        other.distanceFilter = 0.5
        #expect(broker.release(.one(other.request)) == 0)
        other.desiredAccuracy = 10
        for try await _ in other.readings { break }
        // It is unused now, and kept.
        #expect(broker.release(.one(other.request)) == 1)
    }

    @Test("an invalid distance is refused with an accuracy, too")
    func invalid() async {
        let manager = LocationManager(broker: Broker(.mock))
        manager.desiredAccuracy = 10
        manager.distanceFilter = -1
        await #expect(throws: SensorError.self) { for try await _ in manager.readings {} }
    }
}
