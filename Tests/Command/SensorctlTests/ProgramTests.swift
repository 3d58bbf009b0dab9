import Foundation
import Platform
import Programs
import ScriptedService
import Testing
import Varlink

@testable import sensorctl

@Suite struct ProgramTests {
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
        let server = try Examples.broker()
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
        let server = try Examples.broker()
        #expect(Session("get location", server).output.contains("48.117300°N"))
        let json = Session("get location --format json", server)
        #expect(try json.lines.map { try JSONReader.read(Array($0.utf8)) } == [.object(Examples.location)])
        #expect(Session("get location --format csv", server).lines.count == 2)
    }

    @Test("a locale without UTF-8 gets plain ASCII, but programs get what they always do")
    func plainText() throws {
        let server = try Examples.broker([Examples.acceleration])
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
        let session = Session("get compass", try Examples.broker())
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

    @Test("set sends the changes and shows the grants")
    func set() throws {
        let server = try Examples.broker()
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
    func reportsErrors(name: String, parameters: JSONObject, status: Programs.ExitStatus, mention: String) throws {
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
        let server = try Examples.broker()
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
        let server = try Examples.broker()
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
