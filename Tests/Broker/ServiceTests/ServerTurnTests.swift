import Glibc
import Platform
import Readings
import Testing
import Varlink

@testable import Service

/// A clock of the test: each reading of it, and each answered call, takes a while.
@Suite("A turn of the loop") struct ServerTurnTests {
    /// Answers each call in two thirds of a turn's time for calls, and records which client was served.
    private final class SlowHandler: CallHandler {
        let information = ServiceInformation.sensorbrokerd([.broker])
        var time = BootTime(nanoseconds: 1_000_000_000)
        var served: [Int] = []
        var turns: [[Int]] = []

        func answer(
            _ call: Call, from connection: Connection, now: BootTime, into writer: inout JSONWriter
        ) throws(VarlinkError) {
            time = time + Limits.callTurnNanoseconds / 3 * 2
            served.append(connection.serial)
            writer.reply()
        }

        func didDrain(_ connection: Connection, now: BootTime) {}
        func didClose(_ connection: Connection, now: BootTime) {}
    }

    /// This many clients with this many calls each, which have arrived before the first turn; a device has events all
    /// the time.
    private func run(clients: Int, calls: Int) throws -> SlowHandler {
        let handler = SlowHandler()
        let server = try Server(clock: { handler.time })
        let device = try WakeEvent()
        device.signal()
        var others: [Int32] = []
        defer { for number in others { close(number) } }
        for _ in 0..<clients {
            let (near, far) = try pair()
            server.clients.admit(UnixSocket(Descriptor(owning: near)), handler, now: handler.time)
            var writer = JSONWriter()
            for _ in 0..<calls { writer.call(Call("io.sensorbroker.Broker.ListResources")) }
            let other = UnixSocket(Descriptor(owning: far))
            #expect(other.send(writer.bytes.span) == .sent)
            others.append(other.release())
        }
        try server.watch(device.descriptor) { [unowned server] _ in
            handler.turns.append(handler.served)
            handler.served = []
            if handler.turns.count > clients * calls + 1 { server.stop() }
        }
        try server.run()
        return handler
    }

    private func pair() throws -> (Int32, Int32) {
        var numbers: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        try #require(unsafe socketpair(AF_UNIX, type, 0, &numbers) == 0)
        return (numbers[0], numbers[1])
    }

    @Test("has a limited time for calls; then devices are served again, and waiting calls come first in the next")
    func bounded() throws {
        let handler = try run(clients: 12, calls: 1)
        #expect(handler.turns.allSatisfy { $0.count <= 2 }, "\(handler.turns)")
        // In order of arrival: nobody is skipped, nobody comes twice.
        #expect(Array(handler.turns.joined()) == Array(1...12), "\(handler.turns)")
    }

    @Test("continues in the next one with calls that wait behind others, each client's in turn")
    func resumed() throws {
        let handler = try run(clients: 6, calls: 3)
        // Once for a client that has just come, once for one that had to wait.
        #expect(handler.turns.allSatisfy { $0.count <= 4 }, "\(handler.turns)")
        #expect(handler.turns.joined().sorted() == (1...6).flatMap { [$0, $0, $0] })
    }
}
