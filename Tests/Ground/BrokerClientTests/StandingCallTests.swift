import BrokerClient
import Platform
import Testing
import Varlink

/// A broker that a test plays: who connects, what was called, what is read next.
private final class PlayedBroker {
    final class Line: BrokerStream {
        let number: Int32
        var calls: [String] = []
        var messages: [[UInt8]] = []
        var isEnded = false

        init(_ number: Int32) { self.number = number }

        var takesCalls = true

        func send(_ bytes: [UInt8]) throws(ConnectionFault) {
            guard takesCalls, let call = try? Call(parsing: bytes.dropLast()) else { throw .closed }
            calls.append(call.qualifiedMethod)
        }
        func receive() throws(ConnectionFault) { if isEnded { throw .closed } }
        func nextMessage() throws(ConnectionFault) -> [UInt8]? { messages.isEmpty ? nil : messages.removeFirst() }
    }

    /// The errno with which each path refuses; a path that is not here accepts.
    var refusals: [String: Int32] = [:]
    var takesCalls = true
    private(set) var lines: [Line] = []

    func dial(_ path: String) throws(SystemError) -> any BrokerStream {
        if let code = refusals[path] { throw SystemError("connect \(path)", code: code) }
        lines.append(Line(Int32(100 + lines.count)))
        lines[lines.count - 1].takesCalls = takesCalls
        return lines[lines.count - 1]
    }
}

@Suite struct StandingCallTests {
    private static let second: Int64 = 1_000_000_000
    private let broker = PlayedBroker()

    private func standing(_ paths: [String] = ["/a"]) -> StandingCall {
        StandingCall(Call(Interface.listResources, mode: .more), paths: paths) { [broker] path throws(SystemError) in
            try broker.dial(path)
        }
    }

    @Test("it connects to the first path that accepts, and makes its call")
    func connects() throws {
        broker.refusals = ["/a": 2, "/b": 111]
        let call = standing(["/a", "/b", "/c"])
        #expect(call.isDue(0) && call.number == nil)
        #expect(try call.connect(0) == 100)
        #expect(call.number == 100 && call.path == "/c" && !call.isDue(.max) && call.retryNanoseconds == nil)
        #expect(broker.lines[0].calls == [Interface.listResources])
    }

    @Test("further calls go through the connection, as long as there is one, and replies come as a whole")
    func furtherCalls() throws {
        let call = standing()
        let read = Array(#"{"method":"\#(Interface.read)"}"#.utf8) + [0]
        #expect(throws: ConnectionFault.closed) { try call.send(read) }
        #expect(try call.replies().isEmpty)
        _ = try call.connect(0)
        try call.send(read)
        #expect(broker.lines[0].calls == [Interface.listResources, Interface.read])
        broker.lines[0].messages = [Array(#"{"parameters":{"a":1}}"#.utf8)]
        #expect(try call.replies() == [.success(Parameters(["a": 1]), continues: false)])
    }

    @Test("the pauses grow to five seconds, and are short again after an answer")
    func pauses() throws {
        broker.refusals = ["/a": 111]
        let call = standing()
        var (now, pauses): (Int64, [Int64]) = (0, [])
        for _ in 0..<8 {
            #expect(throws: ConnectRefusal.self) { try call.connect(now) }
            let next = try #require(call.retryNanoseconds)
            #expect(!call.isDue(next - 1) && call.isDue(next))
            pauses.append((next - now) / 100_000_000)
            now = next
        }
        #expect(pauses == [1, 2, 4, 8, 16, 32, 50, 50])
        broker.refusals = [:]
        _ = try call.connect(now)
        broker.lines[0].messages = [Array(#"{"parameters":{},"continues":true}"#.utf8)]
        guard case .replies(let replies) = call.read(now) else { throw Unexpected() }
        #expect(replies.count == 1)
        broker.lines[0].isEnded = true
        guard case .lost(let reason) = call.read(now) else { throw Unexpected() }
        #expect(reason == "the broker has ended the connection" && call.retryNanoseconds == now + Self.second / 10)
    }

    @Test("a refusal is reported by its name, and the call is made again half a minute later")
    func refused() throws {
        let call = standing()
        _ = try call.connect(7)
        broker.lines[0].messages = [Array(#"{"error":"x.y.No"}"#.utf8)]
        guard case .refused("x.y.No") = call.read(7) else { throw Unexpected() }
        #expect(call.number == nil && call.retryNanoseconds == 7 + 30 * Self.second)
    }

    @Test("a broker that does not know the resource may know it soon, and is asked again as one that has ended")
    func notThereYet() throws {
        let call = standing()
        _ = try call.connect(7)
        broker.lines[0].messages = [
            Array(#"{"error":"io.sensorbroker.Broker.NoSuchResource","parameters":{"resource":"light"}}"#.utf8)
        ]
        guard case .lost("the broker does not know the resource yet") = call.read(7) else { throw Unexpected() }
        #expect(call.number == nil && call.retryNanoseconds == 7 + Self.second / 10)
    }

    @Test("what is no reply ends the connection with words")
    func nonsense() throws {
        let call = standing()
        _ = try call.connect(0)
        broker.lines[0].messages = [Array("SSH-2.0".utf8)]
        guard case .lost(let reason) = call.read(0) else { throw Unexpected() }
        #expect(reason.hasPrefix("the broker is not understood: ") && call.number == nil)
    }

    @Test("of several that refuse, the first gives the reason; those that are not there show less")
    func refusals() {
        for (codes, path, words) in [
            ([2, 13, 111], "/1", "connect /1: Permission denied"),
            ([2, 11, 13], "/1", "the broker at /1 accepts no connection: it is stopped, or hangs"),
            ([2, 2], "/0 or /1", "there is no broker at /0 or /1"),
            ([], "", "there is no broker at "),
        ] as [([Int32], String, String)] {
            let paths = codes.indices.map { "/\($0)" }
            let refusal = #expect(throws: ConnectRefusal.self) {
                try SocketPath.connect(firstOf: paths) { path throws(SystemError) -> Int in
                    throw SystemError("connect \(path)", code: codes[Int(path.dropFirst()) ?? 0])
                }
            }
            #expect(refusal?.path == path && refusal?.description == words && refusal?.isAbsence == (path != "/1"))
        }
    }

    private struct Unexpected: Error {}

    @Test("a call that could not be sent is made again, unless an answer was left")
    func unsent() throws {
        let call = standing()
        broker.takesCalls = false
        _ = try call.connect(0)
        #expect(call.isDue(10 * Self.second))
        broker.takesCalls = true
        _ = try call.connect(10 * Self.second)
        #expect(broker.lines.count == 2 && broker.lines[1].calls.count == 1 && !call.isDue(.max))
    }
}
