import Foundation
import Platform
import Programs
import ScriptedService
import Testing
import Varlink

@testable import sensorctl

@Suite struct ProgramTests {
    /// A broker with two resources, and these readings.
    private func broker(_ readings: [JSONObject] = []) throws -> ScriptedServer {
        try ScriptedServer { call in
            switch call.method {
            case "ListResources": .replies([["resources": .array(Examples.resources)]])
            case "Read" where call.parameters.object["resource"] == "location":
                .replies([["reading": .object(Examples.location)]])
            case "Subscribe":
                .replies(
                    [
                        [
                            "subscription": "5f3a", "revision": 1, "grants": [.object(Examples.grant)],
                            "resources": [Examples.resources[1]],
                        ]
                    ] + readings.map { ["readings": [.object($0)]] }, continues: true)
            case "Modify": .replies([["revision": 2, "grants": [.object(Examples.grant)]]])
            default: .error("NoSuchResource", ["resource": "x"])
            }
        }
    }

    @Test("help and version need no broker")
    func help() {
        let help = Session("--help", socket: "/nowhere")
        #expect(help.status == .done)
        for word in ["list", "get", "watch", "set", "status", "SENSORBROKER_SOCKET", "130"] {
            #expect(help.output.contains(word))
        }
        #expect(Session("help watch", socket: "/nowhere").output.contains("--min-change"))
        #expect(Session("--version", socket: "/nowhere").output.hasPrefix("sensorctl 0."))
    }

    @Test(
        "a broker that rejects every call with an unknown resource is asked for its list only once",
        arguments: ["list", "get x"])
    func noSuchResourceForEver(line: String) throws {
        let server = try ScriptedServer { _ in .error("NoSuchResource", ["resource": "x"]) }
        let session = Session(line, server)
        #expect(session.status == .unavailable)
        #expect(session.notes == "sensorctl: there is no resource x; list them with: sensorctl list\n")
        #expect(server.calls.count == 2)
    }

    @Test("a wrong command line exits 64 and points to the help")
    func usage() {
        let session = Session("watch a@soon", socket: "/nowhere")
        #expect(session.status == .usage)
        #expect(session.notes.contains("50Hz") && session.notes.contains("--help"))
        #expect(session.output.isEmpty)
    }

    @Test("list shows each resource in each format")
    func list() throws {
        let server = try broker()
        let text = Session("list", server)
        #expect(text.status == .done)
        #expect(
            text.lines == [
                "NAME           KIND          STATE        INTERVALS      DEVICE",
                "location       location      active       100 ms to 1 h  gpsd, /dev/ttyACM0",
                "accelerometer  acceleration  unavailable  5 ms           (simulated)",
                "accelerometer: no \\u001b[31mdevice",
            ])
        let json = Session("list --format json", server).lines
        #expect(try json.map { try JSONReader.read(Array($0.utf8)) } == Examples.resources)
        let csv = Session("list --format csv", server).lines
        #expect(csv.count == 3)
        #expect(csv[1].hasSuffix(",\"gpsd, /dev/ttyACM0\""))
    }

    @Test("get shows one reading")
    func get() throws {
        let server = try broker()
        #expect(Session("get location", server).output.contains("48.117300°N"))
        let json = Session("get location --format json", server)
        #expect(try json.lines.map { try JSONReader.read(Array($0.utf8)) } == [.object(Examples.location)])
        #expect(Session("get location --format csv", server).lines.count == 2)
    }

    @Test("a locale without UTF-8 gets plain ASCII, but programs get what they always do")
    func plainText() throws {
        let server = try broker([Examples.acceleration])
        func output(_ line: String, isUnicode: Bool) -> String {
            Session(line, socket: server.path, isUnicode: isUnicode).output
        }
        let text = output("get location --utc", isUnicode: false)
        #expect(text.utf8.allSatisfy { $0 < 0x80 } && text.contains("48.117300'N") && text.contains("~4.1 m"))
        #expect(output("get location --utc", isUnicode: true).contains("48.117300°N"))
        #expect(output("watch accelerometer --count 1", isUnicode: false).contains("X m/s2"))
        for line in ["watch accelerometer,min=5m", "get location --timeout 0", "get x --timeout 5µs"] {
            let notes = Session(line, socket: server.path, isUnicode: false).notes
            #expect(!notes.isEmpty && notes.utf8.allSatisfy { $0 < 0x80 }, "\(notes)")
        }
        #expect(
            output("get location --format json", isUnicode: false)
                == output("get location --format json", isUnicode: true))
        withExtendedLifetime(server) {}
    }

    @Test(
        "the locale is that of characters, by its name",
        arguments: [
            (nil, false), ("C", false), ("POSIX", false), ("de_DE", false), ("de_DE.ISO-8859-15@euro", false),
            ("C.UTF-8", true),
            ("de_DE.utf8", true), ("en_US.UTF-8@x", true), ("ja_JP.eucJP", false),
        ] as [(String?, Bool)])
    func locale(name: String?, isUnicode: Bool) { #expect(Environment.isUnicode(name) == isUnicode) }

    @Test("a table that is too wide has its last column below, in lines of their own")
    func tables() {
        let table = TextTable(heading: ["A", "B", "C"], rows: [["1", "2", "three words here"], ["4", "5", ""]])
        #expect(table.lines(Style(isOn: false), width: 40) == ["A  B  C", "1  2  three words here", "4  5"])
        #expect(table.lines(Style(isOn: false), width: 14) == ["A  B", "1  2", "  three words", "  here", "4  5"])
    }

    @Test("an unknown resource exits 69 and names the known ones")
    func unknownResource() throws {
        let session = Session("get compass", try broker())
        #expect(session.status == .unavailable)
        #expect(session.notes.contains("location, accelerometer"))
    }

    @Test("a mistyped resource is answered with the intended one")
    func mistypedResource() throws {
        let server = try ScriptedServer { call in
            call.method == "ListResources"
                ? .replies([["resources": .array(Examples.resources)]])
                : .error("NoSuchResource", ["resource": "acelerometer"])
        }
        for line in ["get acelerometer", "watch acelerometer@1s", "set s acelerometer@1s"] {
            let session = Session(line, server)
            #expect(session.status == .unavailable && session.notes.contains("did you mean accelerometer?"))
        }
    }

    @Test("watch sends the requests of its command line, and ends after --count readings")
    func watch() throws {
        let server = try broker([Examples.acceleration, Examples.acceleration])
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
        let server = try broker([Examples.acceleration])
        let session = Session("watch accelerometer --count 2 --format csv --verbose", server)
        #expect(session.lines.count == 3)
        #expect(session.lines[0].hasPrefix("resource,"))
        #expect(session.notes.contains("subscription 5f3a") && session.notes.contains("every 20 ms"))
    }

    @Test("json has readings as objects, which count, and everything else in other objects")
    func watchJSON() throws {
        let server = try broker([Examples.acceleration])
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
        let session = Session("watch accelerometer --for 50ms --format csv", flood)
        #expect(session.status == .done)
        #expect(session.lines.count <= 1, "at most the header")
    }

    @Test("an elapsed time ends a watch with success, unless readings are missing")
    func watchFor() throws {
        let server = try broker()
        #expect(Session("watch accelerometer --for 1ms", server).status == .done)
        #expect(Session("watch accelerometer --for 1ms --count 1", server).status == .timedOut)
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

    @Test("set sends the changes and shows the grants")
    func set() throws {
        let server = try broker()
        let session = Session("set 5f3a accelerometer@20ms", server)
        #expect(session.status == .done)
        #expect(session.lines.last?.contains("a reading every 20 ms") == true)
        #expect(server.calls.first?.parameters.object["subscription"] == "5f3a")
        #expect(
            Session("set 5f3a accelerometer@20ms --format json", server).output.contains("\"revision\":2"))
    }

    private static let errors: [(String, JSONObject, Programs.ExitStatus, String)] = [
        ("NoSuchSubscription", ["subscription": "x"], .unavailable, "watch --verbose"),
        ("ResourceUnavailable", ["resource": "location", "reason": "no gpsd"], .unavailable, "no gpsd"),
        ("TimedOut", [:], .timedOut, "sensorctl list"), ("TooManySubscriptions", ["limit": 8], .unavailable, "(8)"),
        ("Later", [:], .unavailable, "Later"),
    ]

    @Test("each error of the broker has its exit status and its advice", arguments: errors)
    func tellsErrors(name: String, parameters: JSONObject, status: Programs.ExitStatus, mention: String) throws {
        let server = try ScriptedServer { _ in .error(name, parameters) }
        let session = Session("get location", server)
        #expect(session.status == status)
        #expect(session.notes.contains(mention))
    }

    @Test("Varlink's own errors are explained as well")
    func varlinkErrors() throws {
        func session(_ error: VarlinkError) throws -> Session {
            let server = try ScriptedServer { _ in
                var writer = JSONWriter()
                writer.reply(error)
                return .init(pieces: [writer.bytes])
            }
            return Session("get location", server)
        }
        #expect(try session(.permissionDenied).status == .notPermitted)
        #expect(try session(.invalidParameter("resource")).status == .usage)
        #expect(try session(.methodNotFound("x")).status == .unavailable)
    }

    @Test("status uses the administrator's socket next to the broker's")
    func status() throws {
        let absent = Session("status", socket: "/nowhere/io.sensorbroker.Broker")
        #expect(absent.status == .unavailable && absent.notes.contains("/nowhere/io.sensorbroker.Admin"))
    }

    @Test("a broker that does not run exits 69 and says how to start it")
    func notRunning() throws {
        let session = Session("list", socket: "/nowhere/io.sensorbroker.Broker")
        #expect(session.status == .unavailable)
        #expect(
            session.notes.contains("sensorbrokerd --runtime-directory /nowhere,")
                && session.notes.contains("there is no socket /nowhere/io.sensorbroker.Broker."))
        #expect(
            Session("list", socket: "a/io.sensorbroker.Broker.boat").notes
                .contains("sensorbrokerd --instance boat --runtime-directory a,"))
        #expect(Session("list", socket: String(repeating: "x", count: 200)).status == .unavailable)
    }

    @Test(
        "no start command is given for a socket that it would not make",
        arguments: ["/nowhere/socket", "io.sensorbroker.Broker", "/nowhere/io.sensorbroker.Broker.Boat", "/", ""])
    func foreignSocket(path: String) {
        let broker = Broker(paths: [path])
        for failure in [broker.missing, broker.failure(of: path, SystemError("connect", code: 111))] {
            let text = failure.message ?? ""
            #expect(text.contains("Check --socket or $SENSORBROKER_SOCKET") && !text.contains("Start it"), "\(text)")
        }
    }

    @Test(
        "a broker that does not answer exits 75, with the socket and a remedy",
        arguments: ["list", "get x", "watch x"])
    func mute(line: String) throws {
        let server = try ScriptedServer { _ in .init() }
        let session = Session(line + " --timeout 20ms", server)
        #expect(session.status == .timedOut)
        #expect(session.notes.contains("the broker at \(server.path) does not answer"))
        #expect(session.notes.contains("systemctl status sensorbrokerd;"))
    }

    @Test("a broker that is about to listen is waited for; its absence is told after that")
    func early() async throws {
        let server = try broker()
        let place = FileManager.default.temporaryDirectory.appending(path: "early-\(UUID().uuidString.prefix(8))").path
        defer { try? FileManager.default.removeItem(atPath: place) }
        #expect(Session("list", socket: place).status == .unavailable)
        async let session = Session("list", socket: place, patienceNanoseconds: 600_000_000_000)
        try FileManager.default.createSymbolicLink(atPath: place, withDestinationPath: server.path)
        #expect(await session.status == .done)
        #expect(server.calls.count == 1)
        withExtendedLifetime(server) {}
    }

    @Test("an instance is found by its name, and remedies name it")
    func instance() {
        let session = Session("list --instance of-a-test", socket: "/nowhere/socket")
        #expect(session.status == .unavailable)
        #expect(session.notes.contains("/run/sensorbroker/io.sensorbroker.Broker.of-a-test"))
        let start =
            UnitSurvey.isSystemdRunning
            ? "systemctl start sensorbrokerd@of-a-test" : "sensorbrokerd --instance of-a-test"
        #expect(session.notes.contains(start))
    }

    @Test("the administrator's socket of a broker of an unknown name is not guessed")
    func unknownAdmin() {
        let session = Session("status", socket: "/nowhere/sensors")
        #expect(session.status == .usage && session.notes.contains("io.sensorbroker.Admin"))
    }

    @Test("output that cannot be written exits 74", arguments: ["list", "--help", "--version", "get location"])
    func fullOutput(line: String) throws {
        let server = try broker()
        let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
        let notes = Pipe()
        let terminal = Terminal(
            output: full.fileDescriptor, notes: notes.fileHandleForWriting.fileDescriptor)
        let words = line.split(separator: " ").map { String($0) }
        #expect(Program.run(words, Environment(socket: server.path), terminal) == .inputOutput)
        try notes.fileHandleForWriting.close()
        let text = String(decoding: notes.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        #expect(text.contains("cannot write the output: No space left on device; make room"))
    }

    @Test("get --wait prints the first reading of a stream, or why there is none")
    func getThatWaits() throws {
        let server = try broker([Examples.acceleration])
        let session = Session("get accelerometer --wait --format json", server)
        #expect(try session.lines.map { try JSONReader.read(Array($0.utf8)) } == [.object(Examples.acceleration)])
        #expect(server.calls.map(\.method) == ["Subscribe"])
        let none = Session("get accelerometer --wait --timeout 200ms", try broker())
        #expect(none.status == .timedOut && none.output.isEmpty)
        #expect(none.notes.contains("no \\u001b[31mdevice") && none.notes.contains("--timeout"))
    }

    @Test("a watch that reconnects requests what was granted, continues counting and reports the gap")
    func reconnect() throws {
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
        let server = try ScriptedServer { _ in
            let number = calls.withLock { count in
                count += 1
                return count
            }
            // The first stream ends without a message, the second with one.
            switch number {
            case 1:
                var answer = ScriptedServer.Answer.replies([first, update(1_000_000_000)], continues: true)
                answer.closes = true
                return answer
            case 2: return .replies([first, update(2_000_000_000), ["ended": "shutdown"]])
            default: return .replies([first, update(5_000_000_000)], continues: true)
            }
        }
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

    @Test("a socket that the user may not use exits 77 with a remedy")
    func denied() throws {
        // Root, which may run this, may use every socket: so the test itself makes the refusal.
        let broker = Broker(paths: ["/x/io.sensorbroker.Broker"])
        let denied = broker.failure(of: "/x/socket", SystemError("connect", code: EACCES))
        #expect(denied.status == .notPermitted && denied.message?.contains("sudo") == true)
        let admin = try broker.admin().failure(of: "/x/socket", SystemError("connect", code: EACCES))
        #expect(admin.status == .notPermitted && admin.message?.contains("sudo") == true)
    }

    @Test("a socket without a listener differs from a missing one")
    func refused() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "sensorctl-\(UUID().uuidString)").path
        #expect(FileManager.default.createFile(atPath: path, contents: nil))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let session = Session("list", socket: path)
        #expect(session.status == .unavailable)
        #expect(session.notes.contains("nothing listens at"))
    }

    @Test("an output without a reader ends it quietly")
    func closedOutput() throws {
        signal(SIGPIPE, SIG_IGN)
        let pipe = Pipe()
        let notes = Pipe()
        try pipe.fileHandleForReading.close()
        let terminal = Terminal(
            output: pipe.fileHandleForWriting.fileDescriptor, notes: notes.fileHandleForWriting.fileDescriptor)
        #expect(Program.run(["--help"], Environment(), terminal) == .done)
        try notes.fileHandleForWriting.close()
        #expect(notes.fileHandleForReading.readDataToEndOfFile().isEmpty)
    }
}
