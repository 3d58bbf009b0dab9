import Foundation
import Platform
import Readings
import Testing
import Varlink

/// The k-th call of a kind fails, whichever it is: that may cost the client concerned its connection, and the others
/// nothing.
@Suite("A broker with one failing system call") struct FaultInjectionTests {
    private static let codes: [SystemCall: [Int32]] = [
        .accept: [ECONNABORTED, EPERM, EPROTO, EMFILE],
        .send: [EPIPE, ECONNRESET, ENOBUFS, ENOMEM, EAGAIN],
        .receive: [ECONNRESET, ENOMEM, EAGAIN, EIO],
        .control: [ENOMEM, ENOSPC],
        .peer: [ENOMEM, ENOTCONN],
    ]
    private static let cases = SystemCall.allCases.flatMap { call in
        (codes[call] ?? []).map { code in (call, code) }
    }

    @Test("serves everybody else as before", arguments: cases)
    func servesOthers(call: SystemCall, code: Int32) throws {
        for first in 1...(code == EMFILE ? 2 : 10) {
            // Without a descriptor left, the broker accepts again after a pause.
            let broker = try ServedBroker(
                faults: FaultScript(call, from: first, with: code), timePasses: code == EMFILE)
            try broker.open(intervalNanoseconds: 10_000_000)
            use(broker)
            // A client that was hit comes again; the fault may have waited for this one.
            do { try stream(100..<110, from: broker) } catch { try stream(200..<210, from: broker) }
        }
    }

    /// A stream in which every sample of the device is delivered or reported as lost.
    private func stream(_ sequences: Range<UInt64>, from broker: ServedBroker) throws {
        var client = try BrokerClient(broker)
        client.trySend("Subscribe", Self.tap, mode: .more)
        _ = try client.answer()
        broker.yield(sequences, every: 10_000_000)
        var account = Account()
        while account.readings + account.gaps < 10 { account.add(try client.answer()) }
    }

    private static let tap: JSONObject = ["requests": [["resource": "accelerometer", "intervalNanoseconds": 0]]]

    /// Two clients that may be hit; their readings are not checked.
    private func use(_ broker: ServedBroker) {
        guard var one = try? BrokerClient(broker), var two = try? BrokerClient(broker) else { return }
        one.trySend("ListResources", [:])
        _ = try? one.reply()
        two.trySend("Subscribe", Self.tap, mode: .more)
        _ = try? two.reply()
        broker.yield(0..<5, every: 10_000_000)
        _ = try? two.reply()
    }
}
