import Fleet
import Glibc
import Platform
import Testing

@testable import MQTT

/// The program's side of a connection; at the other end is the loop of its process on a thread, or a test's own bytes.
@Suite struct ConfinedConnectionTests {
    private static let patience: Int64 = 120_000_000_000

    /// A pair of connected sockets.
    private static func pair() throws -> (Int32, Int32) {
        var numbers: [Int32] = [0, 0]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, kind, 0, &numbers) == 0 else { throw SystemError.current("socketpair") }
        return (numbers[0], numbers[1])
    }

    private static func plan(_ port: UInt16 = 1) throws -> ConnectionPlan {
        ConnectionPlan(try ServerAddress(parsing: "mqtt://127.0.0.1:\(port)"), clientID: "x", version: .five)
    }

    private static func connection(_ number: Int32, _ plan: ConnectionPlan) -> ConfinedConnection {
        ConfinedConnection(nil, UnixSocket(Descriptor(owning: number)), plan)
    }

    /// The loop of a process, on a thread.
    private static func held(_ plan: ConnectionPlan) throws -> ConfinedConnection {
        let (near, far) = try pair()
        try Thread.start(name: "connection") { ConnectionProcess.serve(UnixSocket(Descriptor(owning: far))) }
        return connection(near, plan)
    }

    /// Both go on until something has come; all that came, and the end.
    private static func run(
        _ connection: ConfinedConnection, _ server: ScriptedServer?, until isThere: ([ServerEvent]) -> Bool
    ) throws -> (events: [ServerEvent], end: ConnectionEnd?) {
        let deadline = Clock.bootNanoseconds() + patience
        var events: [ServerEvent] = []
        while !isThere(events) {
            guard Clock.bootNanoseconds() < deadline else { throw Session.Hangs() }
            server?.turn()
            _ = Wait.untilReadable(connection.socket, nanoseconds: 1_000_000)
            events += connection.turn(isReadable: true)
            if case .ended(let end)? = events.last { return (events.dropLast(), end) }
        }
        return (events, nil)
    }

    @Test("what is sent and what comes passes through, with the identifiers of the program")
    func passes() throws {
        let server = try ScriptedServer()
        server.answer = { $0 == "late" ? .silence : .reason(0x10) }
        let connection = try Self.held(try Self.plan(server.port))
        let greeted = try Self.run(connection, server) { $0.count == 2 }
        #expect(greeted.events == [.reached, .connected(Greeting(reason: 0))])
        connection.subscribe("set")
        let late = connection.publish("late", [1], isRetained: false, mayWait: false)
        let large = [UInt8](repeating: 7, count: 1 << 20)
        let second = try #require(connection.publish("t", large, isRetained: true, mayWait: false))
        #expect(late != second)
        let answered = try Self.run(connection, server) { $0.count == 2 }
        #expect(answered.events.contains(.answered(identifier: second, reason: 0x10)))
        #expect(answered.events.contains(.subscribed(reason: 1)))
        for number in 0..<2_000 { server.publish("t", Array("\(number)".utf8)) }
        let came = try Self.run(connection, server) { $0.count == 2_000 }
        #expect(came.events.last == .message(topic: "t", payload: Array("1999".utf8), isRetained: false))
        connection.disconnect()
        #expect(connection.publish("t", [], isRetained: false, mayWait: false) == nil)
        server.turn()
    }

    @Test("large messages in both directions pass, however few the server answers at once")
    func large() throws {
        let server = try ScriptedServer()
        let connection = try Self.held(try Self.plan(server.port))
        _ = try Self.run(connection, server) { $0.count == 2 }
        let large = [UInt8](repeating: 7, count: 4 << 20)
        let identifiers = (0..<12).map { _ in connection.publish("t", large, isRetained: false, mayWait: false) }
        let answered = try Self.run(connection, server) { $0.count == identifiers.count }
        #expect(
            answered.events.map { event in if case .answered(let identifier, 0) = event { identifier } else { nil } }
                == identifiers)
        for _ in 0..<40 { server.publish("t", [UInt8](repeating: 8, count: 60_000)) }
        let came = try Self.run(connection, server) { $0.count == 40 }
        let sizes = came.events.map { if case .message(_, let payload, _) = $0 { payload.count } else { 0 } }
        #expect(Set(sizes) == [60_000])
    }

    @Test("answers that may wait come too, also if nothing follows")
    func patient() throws {
        let server = try ScriptedServer()
        let connection = try Self.held(try Self.plan(server.port))
        _ = try Self.run(connection, server) { $0.count == 2 }
        let identifiers = (0..<20).map { _ in connection.publish("t", [1], isRetained: false, mayWait: true) }
        let answered = try Self.run(connection, server) { $0.count == identifiers.count }
        #expect(
            answered.events.map { event in if case .answered(let identifier, 0) = event { identifier } else { nil } }
                == identifiers)
    }

    @Test("a server that wants to receive something more often does")
    func keepsAlive() throws {
        let server = try ScriptedServer()
        // Server Keep Alive (0x13): a second, of which the server waits for one and a half.
        server.greeting = [0, 0, 3, 0x13, 0, 1]
        let connection = try Self.held(try Self.plan(server.port))
        _ = try Self.run(connection, server) { $0.count == 2 }
        let began = Clock.bootNanoseconds()
        _ = try Self.run(connection, server) { _ in server.pings == 3 }
        // The usual ones would take 45 s.
        #expect(Clock.bootNanoseconds() - began < 40 * Nanoseconds.second)
    }

    @Test("what the server announced is too large is answered as if the server had")
    func tooLarge() throws {
        let server = try ScriptedServer()
        server.greeting = [0, 0, 5, 0x27, 0, 0, 5, 0xDC]
        let connection = try Self.held(try Self.plan(server.port))
        _ = try Self.run(connection, server) { $0.count == 2 }
        let large = [UInt8](repeating: 0, count: 2_000)
        let identifier = try #require(connection.publish("t", large, isRetained: false, mayWait: false))
        let came = try Self.run(connection, server) { !$0.isEmpty }
        #expect(came.events == [.answered(identifier: identifier, reason: 0x95)])
    }

    @Test("a server that is not there, and settings that are none, end it with words")
    func ends() throws {
        let absent = try Self.run(try Self.held(try Self.plan()), nil) { _ in false }
        #expect(absent.events.isEmpty && absent.end == ConnectionEnd(.unreachable, "Connection refused"))
        var plan = try Self.plan()
        plan.will = .init(topic: "not/#/a/topic", payload: [], isKept: true)
        #expect(try Self.run(try Self.held(plan), nil) { _ in false }.end?.cause == .settings)
        let server = try ScriptedServer()
        let connection = try Self.held(try Self.plan(server.port))
        _ = try Self.run(connection, server) { $0.count == 2 }
        server.end()
        #expect(try Self.run(connection, server) { _ in false }.end?.cause == .broken)
    }

    @Test("a program that is gone, or sends what cannot be, ends the process")
    func gone() throws {
        for bytes in [[], [1, 0, 0, 0, 9], [255, 255, 255, 255], ConnectionOrder.alive.frame] as [[UInt8]] {
            let (near, far) = try Self.pair()
            let ours = Descriptor(owning: near)
            try Thread.start(name: "connection") { ConnectionProcess.serve(UnixSocket(Descriptor(owning: far))) }
            _ = unsafe send(ours.number, bytes, bytes.count, Int32(MSG_NOSIGNAL))
            if bytes.isEmpty { shutdown(ours.number, Int32(SHUT_WR)) }
            #expect(Wait.untilReadable(ours.number, nanoseconds: Self.patience).first, "its end is closed")
        }
    }

    @Test("whatever the process sends, the program goes on, with a bounded part of it in a turn")
    func hostile() throws {
        let messages = (0..<3_000).map { _ in
            ServerEvent.message(topic: "t", payload: [1], isRetained: false).frame
        }.flatMap(\.self)
        for (bytes, words) in [
            ([1, 0, 0, 0, 99], "reports what cannot be"), ([255, 255, 255, 127], "reports what cannot be"),
            (messages, "the process of the connection ended"), ([], "the process of the connection ended"),
        ] as [([UInt8], String)] {
            let (near, far) = try Self.pair()
            let theirs = Descriptor(owning: far)
            let connection = Self.connection(near, try Self.plan())
            var rest = bytes[...]
            var (count, most) = (0, 0)
            var end: ConnectionEnd?
            var theirEnd: Descriptor? = consume theirs
            while end == nil {
                if let number = theirEnd?.number, !rest.isEmpty {
                    let sent = unsafe rest.withUnsafeBytes { bytes in
                        unsafe send(number, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
                    }
                    rest = rest.dropFirst(max(0, sent))
                } else {
                    theirEnd = nil
                }
                var events = connection.turn(isReadable: true)
                if case .ended(let last)? = events.last {
                    end = last
                    events.removeLast()
                }
                (count, most) = (count + events.count, max(most, events.count))
            }
            #expect(end?.cause == .crashed && end?.words.contains(words) == true)
            #expect(count == (bytes == messages ? 3_000 : 0) && most <= 512)
        }
    }

    @Test("a process that does not disconnect does not hold up the program", .timeLimit(.minutes(5)))
    func farewell() throws {
        let (near, far) = try Self.pair()
        let theirs = Descriptor(owning: far)
        let connection = Self.connection(near, try Self.plan())
        connection.disconnect()
        #expect(theirs.number >= 0)
    }
}
