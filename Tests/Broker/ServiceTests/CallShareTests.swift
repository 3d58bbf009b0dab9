import Admission
import Glibc
import Platform
import Readings
import Testing
import Varlink

@testable import Delivery
@testable import Service

/// A clock of the test: each call takes a while, and each turn of the loop a millisecond.
@Suite("Calls beside streams") struct CallShareTests {
    private static let callNanoseconds: Int64 = 200_000
    private static let turnNanoseconds: Int64 = 1_000_000
    private static let start = BootTime(nanoseconds: 10_000_000_000)

    private final class Handler: CallHandler {
        let information = ServiceInformation.sensorbrokerd([.broker])
        var time = CallShareTests.start
        var calls = 0
        /// The time, and how many calls had been answered by then.
        var turns: [(at: BootTime, calls: Int)] = []

        func answer(
            _ call: Call, from connection: Connection, now: BootTime, into writer: inout JSONWriter
        ) throws(VarlinkError) {
            time = time + CallShareTests.callNanoseconds
            calls += 1
            writer.reply()
        }

        func didDrain(_ connection: Connection, now: BootTime) {}
        func didClose(_ connection: Connection, now: BootTime) {}
    }

    /// Eight clients with thirty calls each, and a device that has a sample in each turn.
    private func flood(withStream: Bool) throws -> Handler {
        let handler = Handler()
        let server = try Server(clock: { handler.time })
        let stream = withStream ? server.clients.quotas.subscriptions.charge(1, to: 1_000) : nil
        try #require(server.clients.quotas.hasStreams == withStream)
        let device = try WakeEvent()
        device.signal()
        var others: [Int32] = []
        defer { for number in others { close(number) } }
        for _ in 0..<8 {
            var numbers: [Int32] = [-1, -1]
            let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
            try #require(unsafe socketpair(AF_UNIX, type, 0, &numbers) == 0)
            server.clients.admit(UnixSocket(Descriptor(owning: numbers[0])), handler, now: handler.time)
            var writer = JSONWriter()
            for _ in 0..<30 { writer.call(Call("io.sensorbroker.Broker.ListResources")) }
            let other = UnixSocket(Descriptor(owning: numbers[1]))
            #expect(other.send(writer.bytes.span) == .sent)
            others.append(other.release())
        }
        try server.watch(device.descriptor) { [unowned server] _ in
            handler.turns.append((handler.time, handler.calls))
            handler.time = handler.time + Self.turnNanoseconds
            if handler.calls == 240 || handler.turns.count > 10_000 { server.stop() }
        }
        try server.run()
        withExtendedLifetime(stream) {}
        return handler
    }

    @Test("have their share of the time, however many are made, and no turn delays a sample for many of them")
    func share() throws {
        let handler = try flood(withStream: true)
        #expect(handler.calls == 240, "some were never answered")
        for (at, calls) in handler.turns {
            let spent = Int64(calls) * Self.callNanoseconds
            let most = Limits.burstNanoseconds + (at - Self.start) * Int64(Limits.callPercent) / 100
            // The excess is one connection's calls in a turn, and the call that is under way at that time.
            let beyond = Limits.callTurnNanoseconds + Self.callNanoseconds
            #expect(spent <= most + beyond, "\(calls) calls after \(at - Self.start) ns")
        }
        for (one, next) in zip(handler.turns, handler.turns.dropFirst()) {
            #expect(Int64(next.calls - one.calls - 1) * Self.callNanoseconds <= Limits.callTurnNanoseconds)
        }
    }

    @Test("have all of the time if there are no streams")
    func noStreams() throws {
        let (alone, beside) = (try flood(withStream: false), try flood(withStream: true))
        #expect(alone.calls == 240 && alone.turns.count * 3 < beside.turns.count)
    }
}
