import Platform
import Programs
import ScriptedService
import Testing
import Varlink

@testable import sensorctl

/// What `watch` shows of a stream, and how it ends.
@Suite struct WatchProgramTests {
    @Test("watch sends the requests of its command line, and ends after --count readings")
    func watch() throws {
        let server = try Examples.broker([Examples.acceleration, Examples.acceleration])
        let session = Session("watch accelerometer@20ms --count 3 --verbose", server)
        #expect(session.status == .done)
        #expect(session.lines.count == 7)
        #expect(session.lines[0].hasPrefix("subscription 5f3a"))
        #expect(session.lines[3].hasPrefix("TIME ") && session.lines[6].contains("+9.807"))
        #expect(
            server.calls == [
                Call(
                    "io.sensorbroker.Broker.Subscribe",
                    parameters: ["requests": [["resource": "accelerometer", "intervalNanoseconds": 20_000_000]]],
                    mode: .more)
            ])
    }

    @Test("csv has readings only; the rest goes to standard error")
    func watchCSV() throws {
        let server = try Examples.broker([Examples.acceleration])
        let session = Session("watch accelerometer --count 2 --format csv --verbose", server)
        #expect(session.lines.count == 3)
        #expect(session.lines[0].hasPrefix("resource,"))
        #expect(session.notes.contains("subscription 5f3a") && session.notes.contains("every 20 ms"))
    }

    @Test("json has readings as objects, which count, and everything else in other objects")
    func watchJSON() throws {
        let server = try Examples.broker([Examples.acceleration])
        let lines = Session("watch accelerometer --count 2 --format json", server).lines
        #expect(lines.count == 4)
        #expect(lines[0] == #"{"subscription":"5f3a"}"#)
        #expect(try JSONReader.read(Array(lines[3].utf8)) == .object(Examples.acceleration))
        // Its two samples came together; only one is wanted.
        let first = Session("watch accelerometer --count 1 --format json", server).lines
        #expect(first.last?.contains(#""columns":{"x":[0.012],"y":[-0.034],"z":[9.807]}"#) == true)
    }

    @Test("watch ends when its time is up, however much there is still to read")
    func endsInAFlood() throws {
        // csv has no rows for the other events, so the last reading is all that can be seen.
        let readings = Array(repeating: Examples.noFix, count: 20_000) + [Examples.acceleration]
        let first: JSONObject = ["resources": [Examples.resources[1]]]
        let replies = [first] + readings.map { ["readings": [.object($0)]] }
        let bytes = ScriptedServer.Answer.replies(replies, continues: true).pieces.joined()
        let answer = ScriptedServer.Answer(pieces: [Array(bytes)])
        let flood = try ScriptedServer { _ in answer }
        let session = Self.served("watch accelerometer --for 50ms --format csv", flood)
        #expect(session.status == .done)
        #expect(session.lines.count <= 1, "at most the header")
    }

    @Test("an elapsed time ends a watch with success, unless readings are missing")
    func watchFor() throws {
        let server = try Examples.broker()
        #expect(Self.served("watch accelerometer --for 1ms", server).status == .done)
        #expect(Self.served("watch accelerometer --for 1ms --count 1", server).status == .timedOut)
    }

    /// A session in which the scripted broker answers in time; on a busy host that may take several attempts.
    private static func served(_ words: String, _ server: ScriptedServer) -> Session {
        served([words, words, words], server)
    }

    private static func served(_ attempts: [String], _ server: ScriptedServer) -> Session {
        var session = Session(attempts[0], server)
        for words in attempts.dropFirst() where session.notes.contains("does not answer") {
            session = Session(words, server)
        }
        return session
    }

    @Test(
        "a stream that the broker ends exits 69 and says why",
        arguments: [("shutdown", "shutting down"), ("slowClient", "slowly")])
    func ended(reason: String, mention: String) throws {
        let server = try ScriptedServer { _ in .replies([["ended": .string(reason)]]) }
        let session = Session("watch accelerometer", server)
        #expect(session.status == .unavailable)
        #expect(session.notes.contains(mention))
    }

    @Test("get --wait prints the first reading of a stream, or why there is none")
    func getThatWaits() throws {
        let server = try Examples.broker([Examples.acceleration])
        let session = Session("get accelerometer --wait --format json", server)
        // Of the two that came at once.
        let first: JSONObject = [
            "resource": "accelerometer", "sequence": 40, "timestampNanoseconds": 1_000_000_000,
            "values": ["columns": ["x": [0.012], "y": [-0.034], "z": [9.807]]],
        ]
        #expect(try session.lines.map { try JSONReader.read(Array($0.utf8)) } == [.object(first)])
        #expect(server.calls.map(\.method) == ["Subscribe"])
        let broker = try Examples.broker()
        let none = Self.served(["200ms", "5s", "60s"].map { "get accelerometer --wait --timeout \($0)" }, broker)
        #expect(none.status == .timedOut && none.output.isEmpty)
        #expect(none.notes.contains("no \\u001b[31mdevice") && none.notes.contains("--timeout"))
    }

    /// A broker that ends the first stream without a message and the second one with one, and then has missed some readings.
    private static func restarting() throws -> ScriptedServer {
        let calls = Locked(0)
        @Sendable func update(_ stamp: Int64) -> JSONObject {
            let reading = JSONObject(
                Examples.noFix.members.map { ($0.key, $0.key == "timestampNanoseconds" ? .integer(stamp) : $0.value) })
            return ["readings": [.object(reading)]]
        }
        let first: JSONObject = [
            "subscription": "s", "revision": 1, "resources": [Examples.resources[0]],
            "grants": [["resource": "location", "intervalNanoseconds": 1_000_000_000, "batchNanoseconds": 0]],
        ]
        return try ScriptedServer { _ in
            let number = calls.withLock { count in
                count += 1
                return count
            }
            switch number {
            case 1:
                var answer = ScriptedServer.Answer.replies([first, update(1_000_000_000)], continues: true)
                answer.closes = true
                return answer
            case 2: return .replies([first, update(2_000_000_000), ["ended": "shutdown"]])
            default: return .replies([first, update(5_000_000_000)], continues: true)
            }
        }
    }

    @Test("a watch that reconnects requests what was granted, continues counting and reports the gap")
    func reconnect() throws {
        let server = try Self.restarting()
        let session = Session("watch location --reconnect --count 3 --format json", server)
        #expect(session.status == .done)
        let objects = try session.lines.map { try JSONReader.read(Array($0.utf8)) }
        let gap: JSONValue = [
            "gap": [
                "resource": "location", "cause": "restarted", "fromNanoseconds": 2_000_000_000,
                "untilNanoseconds": 5_000_000_000,
            ]
        ]
        // Between the first two nothing is missing.
        #expect(objects.filter { if case .object(let object) = $0 { object["gap"] != nil } else { false } } == [gap])
        #expect(
            objects.filter { if case .object(let object) = $0 { object["sequence"] != nil } else { false } }.count == 3)
        #expect(session.notes.contains("went away") && session.notes.contains("is back"))
        #expect(
            server.calls.last?.parameters.object["requests"] == [
                ["resource": "location", "intervalNanoseconds": 1_000_000_000, "batchNanoseconds": 0]
            ])
    }

    @Test("in the statistics, what a restart of the broker took is lost, and the pause is no step")
    func reconnectStatistics() throws {
        let session = Session(
            "watch location --reconnect --count 3 --stats --format json", try Self.restarting())
        #expect(session.status == .done)
        let all = try session.lines.compactMap { line in
            if case .object(let object) = try JSONReader.read(Array(line.utf8)) { object["stats"] } else { nil }
        }
        let sums = try all.map { value in
            guard case .object(let object) = value else { throw Failure(.data, "no statistics") }
            return Parameters(object)
        }
        #expect(try sums.map { try $0.integer("readings") }.reduce(0, +) == 3)
        #expect(try sums.map { try $0.integer("lost") }.reduce(0, +) == 1)
        #expect(try sums.compactMap { try $0.optionalNumber("hertz") }.allSatisfy { $0 == 1 })
    }

    @Test("without --reconnect, the end of a broker that was started by hand ends the watch")
    func noReconnect() throws {
        for option in ["", " --no-reconnect"] {
            let server = try ScriptedServer { _ in .init(closes: true) }
            let session = Session("watch location" + option, server)
            #expect(session.status == .unavailable && server.calls.count == 1)
        }
        let crash = Reconnecting.afterCrashOfService
        #expect(crash.patience(afterShutdown: false, isService: true) != nil)
        #expect(crash.patience(afterShutdown: true, isService: true) == nil)
        #expect(crash.patience(afterShutdown: false, isService: false) == nil)
        #expect(Reconnecting.always.patience(afterShutdown: true, isService: false) == .max)
        var backoff = Reconnecting.backoff
        #expect((0..<7).map { _ in backoff.next() / 100_000_000 } == [1, 2, 4, 8, 16, 20, 20])
    }
}
