import Admission
import Readings
import TestTools
import Testing

@testable import Service

@Suite("Bytes that a socket has not accepted yet") struct OutboxTests {
    @Test("are sent in order, in pieces, and charged until they are sent")
    func pieces() {
        let quota = Quota(Quota.Terms(total: 1_000, perUser: 1_000))
        let outbox = Outbox(now: at(seconds: 0))
        outbox.append([1, 2, 3, 4].span)
        outbox.didBlock(unreadBytes: 10, now: at(seconds: 0))
        #expect(outbox.pay(beyond: 1) { quota.charge($0, to: 1) })
        outbox.append([5, 6].span)
        #expect(outbox.pay(beyond: 1) { quota.charge($0, to: 1) })
        #expect(quota.charged == 5)
        outbox.didSend(4, now: at(seconds: 1))
        #expect(outbox.bytes == [5, 6])
        outbox.didSend(2, now: at(seconds: 2))
        outbox.didUnblock()
        #expect(outbox.bytes.isEmpty && outbox.blockedSince == nil && quota.charged == 0)
        #expect(outbox.isFree && outbox.lastSent == at(seconds: 2))
    }

    @Test("are refused if their user may have no more")
    func refused() {
        let quota = Quota(Quota.Terms(total: 4, perUser: 4, perTrustedUser: 4))
        let outbox = Outbox(now: at(seconds: 0))
        outbox.append([UInt8](repeating: 0, count: 10).span)
        #expect(!outbox.pay(beyond: 1) { quota.charge($0, to: 1, isTrusted: true) })
        #expect(outbox.pay(beyond: 10) { quota.charge($0, to: 1, isTrusted: true) })
    }

    @Test("count as stuck since the client last read anything")
    func stuck() {
        let outbox = Outbox(now: at(seconds: 0))
        #expect(outbox.stuckSince(unreadBytes: 100, now: at(seconds: 1)) == nil)
        outbox.didBlock(unreadBytes: 100, now: at(seconds: 1))
        #expect(outbox.stuckSince(unreadBytes: 100, now: at(seconds: 5)) == at(seconds: 1))
        #expect(outbox.stuckSince(unreadBytes: 99, now: at(seconds: 6)) == at(seconds: 6))
        #expect(outbox.stuckSince(unreadBytes: 99, now: at(seconds: 20)) == at(seconds: 6))
    }
}
