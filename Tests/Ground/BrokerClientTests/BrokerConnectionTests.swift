import Glibc
import Platform
import ScriptedService
import Testing
import Varlink

@testable import BrokerClient

@Suite struct BrokerConnectionTests {
    private func reply(_ server: ScriptedServer, to call: Call) throws -> Reply? {
        var connection = try BrokerConnection(path: server.path, patienceNanoseconds: 300_000_000_000)
        try connection.send(call)
        return try connection.reply(until: Clock.bootNanoseconds() + 300_000_000_000)
    }

    @Test("a call is sent completely and its reply received")
    func call() throws {
        let server = try ScriptedServer { _ in .replies([["a": 1]]) }
        let call = Call("x.y.Z", parameters: ["text": "a\0b"], mode: .more)
        #expect(try reply(server, to: call) == .success(Parameters(["a": 1]), continues: false))
        #expect(server.calls == [call])
    }

    @Test("a reply that arrives in pieces, together with others, is reassembled")
    func pieces() throws {
        let server = try ScriptedServer { _ in
            .init(pieces: [Array(#"{"parameters""#.utf8), Array(":{\"a\":1}}\0{\"continues\":true}\0".utf8)])
        }
        var connection = try BrokerConnection(path: server.path, patienceNanoseconds: 300_000_000_000)
        try connection.send(Call("x.y.Z"))
        let end = Clock.bootNanoseconds() + 300_000_000_000
        #expect(try connection.reply(until: end) == .success(Parameters(["a": 1]), continues: false))
        #expect(try connection.reply(until: end) == .success(Parameters([:]), continues: true))
        #expect(server.calls.count == 1)
    }

    @Test("a late reply is not returned")
    func timeout() throws {
        let server = try ScriptedServer { _ in .init() }
        var connection = try BrokerConnection(path: server.path, patienceNanoseconds: 300_000_000_000)
        try connection.send(Call("x.y.Z"))
        #expect(try connection.reply(until: Clock.bootNanoseconds() + 1_000_000) == nil)
        #expect(try connection.reply(until: 0) == nil)
        withExtendedLifetime(server) {}
    }

    @Test("a connection that is closed, within a message or between two, is reported")
    func closed() throws {
        for piece in ["", "{\"parameters\":"] {
            let server = try ScriptedServer { _ in .init(pieces: [Array(piece.utf8)], closes: true) }
            #expect(throws: ConnectionFault.closed) { try reply(server, to: Call("x.y.Z")) }
        }
    }

    @Test("what a fork of the process holds, too, ends for the service, and not by the fork", arguments: [true, false])
    func fork(isOwn: Bool) throws {
        var numbers: [Int32] = [-1, -1]
        try #require(unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &numbers) == 0)
        let ours = Descriptor(owning: numbers[0])
        let service = Descriptor(owning: numbers[1])
        let copy = try Descriptor(duplicating: ours.number)
        do {
            let connection = BrokerConnection(ours, to: nil, of: isOwn ? getpid() : getppid())
            try connection.send(Call("x.y.Z"))
        }
        var bytes = [UInt8](repeating: 0, count: 1_000)
        let flags = Int32(MSG_DONTWAIT)
        #expect(unsafe recv(service.number, &bytes, bytes.count, flags) > 0, "what was sent is still read")
        #expect(unsafe recv(service.number, &bytes, bytes.count, flags) == (isOwn ? 0 : -1))
        withExtendedLifetime(copy) {}
    }

    @Test("a peer that does not speak Varlink is not a broker", arguments: ["hello\0", "[]\0", "{\"error\":1}\0"])
    func stranger(answer: String) throws {
        let server = try ScriptedServer { _ in .init(pieces: [Array(answer.utf8)]) }
        let fault = #expect(throws: ConnectionFault.self) { try reply(server, to: Call("x.y.Z")) }
        #expect(fault != .closed)
    }
}
