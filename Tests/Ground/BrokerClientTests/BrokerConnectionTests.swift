import BrokerClient
import Platform
import ScriptedService
import Testing
import Varlink

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

    @Test("a peer that does not speak Varlink is not a broker", arguments: ["hello\0", "[]\0", "{\"error\":1}\0"])
    func stranger(answer: String) throws {
        let server = try ScriptedServer { _ in .init(pieces: [Array(answer.utf8)]) }
        let fault = #expect(throws: ConnectionFault.self) { try reply(server, to: Call("x.y.Z")) }
        #expect(fault != .closed)
    }
}
