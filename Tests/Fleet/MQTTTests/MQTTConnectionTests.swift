import Platform
import Testing

@testable import Fleet
@testable import MQTT

private let codes = Reason.table.filter { $0.code >= 0x80 }
/// The reasons that MQTT 5 has for the answer to a message (3.4.2.1).
///
/// With another one, newer libraries end the connection.
private let lawful: Set<Int32> = [0x00, 0x10, 0x80, 0x83, 0x87, 0x90, 0x91, 0x97, 0x99]

@Suite struct MQTTConnectionTests {
    @Test(
        "the reason of a refused connection comes as the server gave it",
        arguments: codes.filter { $0.connection != nil }.map(\.code))
    func refused(code: Int32) throws {
        let server = try ScriptedServer()
        server.greeting = [0, UInt8(code), 0]
        #expect(try Session(to: server).greeting().reason == code)
    }

    @Test("a server of 3.1.1 is noticed by its answer, and can be used")
    func former() throws {
        let server = try ScriptedServer()
        server.greeting = [0, 1]
        #expect(Refusal(refusedFor: try Session(to: server).greeting().reason) == .version)
        let other = try ScriptedServer()
        other.greeting = [0, 0]
        let session = try Session(to: other, version: .three)
        try session.run { $0.isConnected }
        #expect(other.introductions[0][6] == 4)
        let identifier = session.connection.publish("t", [1], isRetained: false)
        try session.run { $0.answers.map { .sent($0.identifier) } == [identifier] }
        #expect(session.answers.map(\.reason) == [0])
    }

    @Test(
        "the reason of an answer to a message comes as the server gave it",
        arguments: [0x00, 0x10] + codes.filter { $0.message != nil }.map(\.code))
    func answered(code: Int32) throws {
        let server = try ScriptedServer()
        server.answer = { _ in .reason(UInt8(code)) }
        let session = try Session(to: server)
        try session.run { $0.isConnected }
        let identifier = session.connection.publish("fleet/h/location", Array("{}".utf8), isRetained: false)
        try session.run { !$0.answers.isEmpty || $0.ending != nil }
        if session.ending != nil, !lawful.contains(code) { return #expect(session.answers.isEmpty) }
        #expect(session.answers.map { .sent($0.identifier) } == [identifier] && session.answers.map(\.reason) == [code])
        #expect(session.ending == nil)
    }

    @Test(
        "the reason of an end comes as the server gave it, before the end",
        arguments: codes.filter { $0.end != nil }.map(\.code))
    func disconnected(code: Int32) throws {
        let server = try ScriptedServer()
        server.answer = { _ in .disconnect(UInt8(code)) }
        let session = try Session(to: server)
        try session.run { $0.isConnected }
        _ = session.connection.publish("t", [], isRetained: false)
        try session.run { session in
            session.events.contains { if case .disconnected(code) = $0 { true } else { false } }
        }
        try session.run { $0.ending != nil }
        #expect(session.connection.publish("t", [], isRetained: false) == .ended)
    }

    @Test("what the server announces is known with its answer")
    func limits() throws {
        let server = try ScriptedServer()
        server.greeting = [0, 0, 12, 0x21, 0, 5, 0x27, 0, 0, 5, 0xDC, 0x24, 1, 0x25, 0]
        let session = try Session(to: server)
        #expect(
            try session.greeting()
                == Greeting(reason: 0, receiveMaximum: 5, packetMaximum: 1_500, maximumQoS: 1, retains: false))
        let tooLarge = [UInt8](repeating: 0, count: 1_500)
        #expect(session.connection.publish("t", tooLarge, isRetained: false) == .tooLarge && session.ending == nil)
        #expect(try Session(to: try ScriptedServer()).greeting() == Greeting(reason: 0))
    }

    @Test("a server that acknowledges nothing is sent messages nevertheless: a consumer's requests need no answer")
    func unacknowledged() throws {
        let server = try ScriptedServer()
        server.greeting = [0, 0, 2, 0x24, 0]
        var topics: [String] = []
        server.answer = { topic in
            topics.append(topic)
            return .silence
        }
        let session = try Session(to: server)
        try session.run { $0.isConnected }
        let sending = session.connection.publish("fleet/h/resend", Array("{}".utf8), isRetained: false)
        try session.run { _ in !topics.isEmpty }
        #expect(sending == .unacknowledged && topics == ["fleet/h/resend"] && session.ending == nil)
    }

    @Test("the introduction bounds what the server may send, and wants the last will to be kept or not")
    func introduction() throws {
        for isKept in [true, false] {
            let server = try ScriptedServer()
            let session = try Session(to: server) { plan in
                plan.mostPayloadBytes = 15 << 10
                plan.will = .init(topic: "fleet/h/status", payload: Array("{}".utf8), isKept: isKept)
            }
            try session.run { $0.isConnected }
            let introduction = try #require(server.introductions.first)
            // After the keepalive: the properties, with the maximum packet size (0x27) of 16 KiB.
            #expect(Array(introduction[11...]).starts(with: [0x27, 0, 0, 0x40, 0]))
            #expect((introduction[7] & 0x20 != 0) == isKept && introduction[7] & 0x04 != 0)
        }
    }

    @Test("a session that the server keeps ends some time; with 3.1.1, where it would not, there is none")
    func session() throws {
        for version in ProtocolVersion.allCases {
            let server = try ScriptedServer()
            if version == .three { server.greeting = [0, 0] }
            let session = try Session(to: server, version: version) { $0.sessionSeconds = 300 }
            try session.run { $0.isConnected }
            let introduction = try #require(server.introductions.first)
            let isClean = introduction[7] & 0x02 != 0
            #expect(isClean == (version == .three))
            // After the keepalive: the properties, with the session's expiry (0x11).
            #expect(isClean || Array(introduction[11...]).starts(with: [0x11, 0, 0, 1, 0x2C]))
        }
    }

    @Test("a subscription that is not allowed is answered with the reason")
    func subscription() throws {
        let server = try ScriptedServer()
        server.subscriptionReason = 0x87
        let session = try Session(to: server)
        try session.run { $0.isConnected }
        session.connection.subscribe("fleet/h/resend")
        try session.run { session in
            session.events.contains { if case .subscribed(0x87) = $0 { true } else { false } }
        }
    }

    @Test("however much the server sends, a turn takes a bounded part, and all of it comes, cut to what is wanted")
    func flood() throws {
        let server = try ScriptedServer()
        let session = try Session(to: server) { $0.mostPayloadBytes = 8 }
        try session.run { $0.isConnected }
        for number in 0..<2_000 { server.publish("t", Array("\(number) and something else".utf8)) }
        try session.run { $0.messages.count == 2_000 }
        #expect(session.messages.last == Array("1999 and".utf8))
        // Besides its 512, as many as libmosquitto 2.1 takes at once: 4,096 bytes, of at least 26 each.
        #expect(session.mostOfTurn <= 512 + 4_096 / 26)
    }

    /// It takes ten seconds, the shortest time that libmosquitto allows, on a thread of its own.
    @Test("a server that has become silent is noticed by its missing answer to a ping")
    func silent() async throws {
        let ending = await Self.ending(isGreeted: true)
        #expect(try #require(ending).pings == 1 && ending?.words != nil)
    }

    @Test("a server that has set a long keepalive, or none, is noticed as soon", arguments: [0, 60] as [UInt8])
    func silentWithItsOwnKeepalive(seconds: UInt8) async throws {
        let ending = await Self.ending(isGreeted: true, properties: [3, 0x13, 0, seconds])
        #expect(try #require(ending).words == "the server did not answer in time")
    }

    @Test("a server that has not greeted yet may take longer than a keepalive")
    func slow() async throws { #expect(try await #require(Self.ending(isGreeted: false)).words == nil) }

    private static func ending(
        isGreeted: Bool, properties: [UInt8] = [0]
    ) async -> (pings: Int, words: String?)? {
        await withCheckedContinuation { continuation in
            let started: Void? = try? Thread.start(name: "silent") {
                continuation.resume(returning: try? wait(isGreeted: isGreeted, properties))
            }
            if started == nil { continuation.resume(returning: nil) }
        }
    }

    private static func wait(isGreeted: Bool, _ properties: [UInt8]) throws -> (pings: Int, words: String?) {
        let server = try ScriptedServer()
        server.greeting = [0, 0] + properties
        server.isSilent = !isGreeted
        let session = try Session(to: server) { $0.keepaliveSeconds = 5 }
        try session.run { $0.isConnected == isGreeted }
        if properties.count > 1 { try session.run { $0.server.unsubscriptions == 1 || $0.ending != nil } }
        server.isSilent = true
        let deadline = isGreeted ? .max : Clock.bootNanoseconds() + 11 * Nanoseconds.second
        try session.run { $0.ending != nil || Clock.bootNanoseconds() > deadline }
        return (server.pings, session.ending?.words)
    }

    @Test("a closed connection ends with words, and so does a port at which nobody listens")
    func closed() throws {
        let server = try ScriptedServer()
        let session = try Session(to: server)
        try session.run { $0.isConnected }
        server.end()
        try session.run { $0.ending != nil }
        #expect(session.ending?.words.isEmpty == false && session.ending?.cause == .broken)
        let address = try ServerAddress(parsing: "mqtt://127.0.0.1:1")
        let connection = try MQTTConnection.prepared(ConnectionPlan(address, clientID: "x", version: .five))
        #expect(connection.connect() == ConnectionEnd(.unreachable, "Connection refused"))
    }

    @Test("a name without an address is reported with the name")
    func nameless() throws {
        let address = try ServerAddress(parsing: "mqtt://no.such.host.invalid")
        let connection = try MQTTConnection.prepared(ConnectionPlan(address, clientID: "x", version: .five))
        let end = try #require(connection.connect())
        // libmosquitto 2.1 does not report the resolver's error.
        #expect(end.cause == .unreachable && end.words.hasPrefix("there is no address of no.such.host.invalid"))
        #expect(!end.words.contains("nknown error"))
    }

    @Test("a server that is gone, or does not read, does not hold up the goodbye", .timeLimit(.minutes(5)))
    func goodbye() throws {
        for isGone in [true, false] {
            let server = try ScriptedServer()
            let session = try Session(to: server)
            try session.run { $0.isConnected }
            let payload = [UInt8](repeating: 0, count: 1 << 20)
            for _ in 0..<32 { _ = session.connection.publish("t", payload, isRetained: false) }
            if isGone { server.reset() }
            session.connection.disconnect()
        }
    }

    @Test("the words of a reason have its name and number")
    func words() {
        #expect(MQTTConnection.reason(0x87) == "Not authorized (0x87)")
        #expect(MQTTConnection.reason(0x10) == "nobody has subscribed to it")
    }
}

extension Session {
    var answers: [(identifier: Int32, reason: Int32)] {
        events.compactMap { if case .answered(let identifier, let reason) = $0 { (identifier, reason) } else { nil } }
    }

    var messages: [[UInt8]] {
        events.compactMap { if case .message(_, let payload, _) = $0 { payload } else { nil } }
    }
}
