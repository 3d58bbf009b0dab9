import Foundation
import Platform
import ScriptedService
import Testing
import Varlink

@testable import CommandLineClient

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
        for word in ["list", "get", "watch", "set", "status", "--min-change", "SENSORBROKER_SOCKET", "130"] {
            #expect(help.output.contains(word))
        }
        #expect(Session("--version", socket: "/nowhere").output.hasPrefix("sensorctl 0."))
    }

    @Test(
        "a broker that knows no resource whatever it is asked is asked but once which it has",
        arguments: ["list", "get x"])
    func noSuchResourceForEver(line: String) throws {
        let server = try ScriptedServer { _ in .error("NoSuchResource", ["resource": "x"]) }
        let session = Session(line, server)
        #expect(session.status == .unavailable)
        #expect(session.notes == "sensorctl: there is no resource x: this broker has none\n")
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
                "accelerometer: no ?[31mdevice",
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

    @Test("an unknown resource exits 69 and names the known ones")
    func unknownResource() throws {
        let session = Session("get compass", try broker())
        #expect(session.status == .unavailable)
        #expect(session.notes.contains("location, accelerometer"))
    }

    @Test("watch asks for what the line says, and ends with the last reading of its count")
    func watch() throws {
        let server = try broker([Examples.acceleration, Examples.acceleration])
        let session = Session("watch accelerometer@20ms --count 3", server)
        #expect(session.status == .done)
        #expect(session.lines.count == 6)
        #expect(session.lines[0].hasPrefix("subscription 5f3a"))
        #expect(session.lines[5].contains("+9.807"))
        #expect(
            server.calls == [
                Call(
                    "io.sensorbroker.Broker.Subscribe",
                    parameters: ["requests": [["resource": "accelerometer", "intervalNanoseconds": 20_000_000]]],
                    mode: .more)
            ])
    }

    @Test("csv holds readings only; the rest is beside it")
    func watchCSV() throws {
        let server = try broker([Examples.acceleration])
        let session = Session("watch accelerometer --count 2 --format csv", server)
        #expect(session.lines.count == 3)
        #expect(session.lines[0].hasPrefix("resource,"))
        #expect(session.notes.contains("subscription 5f3a") && session.notes.contains("every 20 ms"))
    }

    @Test("json counts readings as objects and tells the rest in objects of its own")
    func watchJSON() throws {
        let server = try broker([Examples.acceleration])
        let lines = Session("watch accelerometer --count 1 --format json", server).lines
        #expect(lines.count == 4)
        #expect(lines[0] == #"{"subscription":"5f3a"}"#)
        #expect(try JSONReader.read(Array(lines[3].utf8)) == .object(Examples.acceleration))
    }

    @Test("watch ends when its time is up, however much there is still to read")
    func endsInAFlood() throws {
        // csv has no rows for the others, so that the last one is all that there would be to see.
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

    @Test("a time that is up ends a watch well, unless readings are missing")
    func watchFor() throws {
        let server = try broker()
        #expect(Session("watch accelerometer --for 1ms", server).status == .done)
        #expect(Session("watch accelerometer --for 1ms --count 1", server).status == .timedOut)
    }

    @Test(
        "a stream that the broker ends exits 69 and says why",
        arguments: [("shutdown", "shuts down"), ("slowClient", "slowly")])
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

    private static let errors: [(String, JSONObject, CommandLineClient.ExitStatus, String)] = [
        ("NoSuchSubscription", ["subscription": "x"], .unavailable, "first line"),
        ("ResourceUnavailable", ["resource": "location", "reason": "no gpsd"], .unavailable, "no gpsd"),
        ("TimedOut", [:], .timedOut, "sensorctl list"), ("TooManySubscriptions", ["limit": 8], .unavailable, "(8)"),
        ("Later", [:], .unavailable, "Later"),
    ]

    @Test("each error of the broker has its exit status and its advice", arguments: errors)
    func tellsErrors(name: String, parameters: JSONObject, status: CommandLineClient.ExitStatus, mention: String) throws
    {
        let server = try ScriptedServer { _ in .error(name, parameters) }
        let session = Session("get location", server)
        #expect(session.status == status)
        #expect(session.notes.contains(mention))
    }

    @Test("Varlink's own errors are told as well")
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

    @Test("status shows devices and clients, from the socket beside the broker's")
    func status() throws {
        let lines = try StatusCommand.lines(
            Parameters([
                "version": "0.1.0", "processId": 7, "startedNanoseconds": 0,
                "devices": [
                    [
                        "resource": "location", "state": "active", "subscribers": 2, "lanes": 1, "samples": 9,
                        "opens": 1,
                        "reuses": 0, "evictions": 0, "faults": 0,
                    ]
                ],
                "clients": [
                    [
                        "id": 1, "processId": 42, "userId": 0, "resources": ["location"], "queuedBytes": 0,
                        "deliveredReadings": 9, "lostReadings": 0,
                    ]
                ],
            ]), Style(isOn: false), nowNanoseconds: 90_000_000_000)
        #expect(lines[0] == "sensorbrokerd 0.1.0, process 7, running for 1.5 min")
        #expect(lines.contains { $0.hasPrefix("location") })
        #expect(lines.last?.hasPrefix("1       42") == true)
        let absent = Session("status", socket: "/nowhere/io.sensorbroker.Broker")
        #expect(absent.status == .unavailable && absent.notes.contains("/nowhere/io.sensorbroker.Admin"))
    }

    @Test("a broker that does not run exits 69 and says how to start it")
    func notRunning() throws {
        let session = Session("list", socket: "/nowhere/socket")
        #expect(session.status == .unavailable)
        #expect(session.notes.contains("systemctl start sensorbrokerd") && session.notes.contains("/nowhere/socket"))
        #expect(Session("list", socket: String(repeating: "x", count: 200)).status == .unavailable)
    }

    @Test("a socket that the user may not use exits 77 and says what to do")
    func denied() {
        // Root, which may run this, may use every socket: so the refusal itself is made here.
        let broker = Broker(paths: ["/x/socket"])
        let denied = broker.failure(of: "/x/socket", SystemError("connect", code: EACCES))
        #expect(denied.status == .notPermitted && denied.message?.contains("usermod -aG sensorbroker") == true)
        let admin = broker.admin.failure(of: "/x/socket", SystemError("connect", code: EACCES))
        #expect(admin.status == .notPermitted && admin.message?.contains("sudo") == true)
    }

    @Test("a socket that nobody listens at is told apart from none")
    func refused() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "sensorctl-\(UUID().uuidString)").path
        #expect(FileManager.default.createFile(atPath: path, contents: nil))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let session = Session("list", socket: path)
        #expect(session.status == .unavailable)
        #expect(session.notes.contains("nobody listens at"))
    }

    @Test("an output that nobody reads ends it quietly")
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
