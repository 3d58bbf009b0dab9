import Platform
import ScriptedService
import Synchronization
import Testing
import Varlink

@testable import SensorBroker

/// The library against services that are newer, broken, hostile or stuck.
@Suite(.timeLimit(.minutes(30))) struct StrangeServerTests {
    private typealias Answer = ScriptedServer.Answer

    private func first(_ more: JSONObject...) -> Answer {
        let grant: JSONValue = [
            "resource": "accelerometer", "intervalNanoseconds": 1_000_000, "batchNanoseconds": 0, "new": [1],
        ]
        let begin: JSONObject = [
            "subscription": "s", "revision": 1, "grants": [grant], "resources": [HubBench.resource("accelerometer")],
            "aNewField": ["a": nil],
        ]
        return .replies([begin] + more, continues: true)
    }

    private static var stamp: Int64 { Clock.bootNanoseconds() }

    @Test("unknown values are skipped, or become a value that stands for them")
    func newer() async throws {
        let gap: JSONValue = [
            "resource": "accelerometer", "cause": "solarFlare", "fromNanoseconds": 1, "untilNanoseconds": 2, "new": 1,
        ]
        let thermometer: JSONValue = [
            "resource": "accelerometer", "sequence": 1, "timestampNanoseconds": 1, "temperature": ["celsius": 20.5],
        ]
        let answer = first(
            ["gaps": [gap]], ["resources": [HubBench.resource("accelerometer", state: "dreaming")]],
            ["readings": [thermometer, HubBench.acceleration("accelerometer", Self.stamp, 5)]])
        let server = try ScriptedServer { call in call.method == "Subscribe" ? answer : .init() }
        var events: [SensorEvent<Acceleration>] = []
        for try await event in Accelerometer(broker: Broker(socket: server.path)).events {
            events.append(event)
            if case .reading = event { break }
        }
        #expect(events.contains { if case .gap(let gap) = $0 { gap.cause == .other("solarFlare") } else { false } })
        #expect(events.contains { if case .state(.stale(let why)) = $0 { why.contains("dreaming") } else { false } })
    }

    @Test("a lost device invalidates the newest reading before its listeners are informed")
    func lost() async throws {
        let gap: JSONValue = [
            "resource": "accelerometer", "cause": "deviceLost", "fromNanoseconds": .integer(Self.stamp),
            "untilNanoseconds": .integer(Self.stamp + 60_000_000_000),
        ]
        let answer = first(
            ["readings": [HubBench.acceleration("accelerometer", Self.stamp, 5)]],
            ["gaps": [gap], "resources": [HubBench.resource("accelerometer", state: "unavailable")]])
        let server = try ScriptedServer { call in call.method == "Subscribe" ? answer : .init() }
        let broker = Broker(socket: server.path)
        for try await event in Accelerometer(broker: broker).events {
            if case .gap(let gap) = event, gap.cause == .deviceLost { break }
        }
        #expect(broker.acceleration == nil)
    }

    @Test(
        "a peer that does not speak Varlink or disconnects is an error for a request, and a stream retries",
        arguments: ["hello\0", "{\"parameters\":{\"reading\":7}}\0", "{\"error\":1}\0", ""])
    func stranger(text: String) async throws {
        let answer = Answer(pieces: [Array(text.utf8)], closes: true)
        let server = try ScriptedServer { _ in answer }
        let broker = Broker(socket: server.path)
        let error = await #expect(throws: SensorError.self) {
            try await LocationManager(broker: broker).requestLocation(timeout: .patience)
        }
        switch error {
        case .unintelligible, .disconnected: break
        default: Issue.record("\(String(describing: error))")
        }
        var attempts = 0
        for await event in broker.lifecycle {
            if case .reconnecting(_, let attempt) = event { attempts = attempt }
            if attempts >= 2 { break }
        }
        #expect(attempts >= 2)
    }

    @Test("a service that never answers is an error at the deadline")
    func stuck() async throws {
        let server = try ScriptedServer { _ in .init() }
        let location = LocationManager(broker: Broker(socket: server.path))
        await #expect(throws: SensorError.timedOut) {
            try await location.requestLocation(maximumAge: .zero, timeout: .milliseconds(50))
        }
        let task = Task { try await Broker(socket: server.path).resources() }
        task.cancel()
        await #expect(throws: SensorError.cancelled) { try await task.value }
    }

    @Test("the limit on subscriptions is reported, and the request repeated")
    func tooMany() async throws {
        let tries = Mutex(0)
        let full = Answer.error("TooManySubscriptions", ["limit": 1])
        let answer = first(["readings": [HubBench.acceleration("accelerometer", Self.stamp, 5)]])
        let server = try ScriptedServer { call in
            guard call.method == "Subscribe" else { return .init() }
            return tries.withLock { tries in
                tries += 1
                return tries == 1 ? full : answer
            }
        }
        var events: [SensorEvent<Acceleration>] = []
        for try await event in Accelerometer(broker: Broker(socket: server.path)).events {
            events.append(event)
            if case .reading = event { break }
        }
        #expect(events.first == .disconnected(.tooManySubscriptions))
    }
}
