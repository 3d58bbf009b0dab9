import Readings
import TestTools
import Testing

@testable import Admission

/// Calls of many users and connections, served by one loop, on virtual time.
@Suite("A queue of callers") struct CallQueueTests {
    private func caller(_ user: UInt32) -> Caller { Caller(userID: user, isTrusted: false, isAdministrating: false) }

    private func budget(_ perSecond: Int = 200, burst: Int = 400) -> CallBudget {
        CallBudget(perSecond: perSecond, burst: burst, now: BootTime(nanoseconds: 0))
    }

    @Test("serves a user with a single call next, while eight others have a hundred connections each")
    func fair() {
        var queue = CallQueue<Int>()
        for user: UInt32 in 1...8 {
            for connection in 0..<100 { queue.append(connection, of: caller(user), budget(), now: at(milliseconds: 0)) }
        }
        for _ in 0..<200 {
            guard let (who, _) = queue.next(now: at(milliseconds: 0)) else { break }
            queue.charge(who, calls: 1, nanoseconds: 50_000, budget(), now: at(milliseconds: 0))
        }
        queue.append(7, of: caller(9), budget(), now: at(milliseconds: 0))
        let next = (0..<9).compactMap { _ -> UInt32? in
            guard let (who, _) = queue.next(now: at(milliseconds: 0)) else { return nil }
            queue.charge(who, calls: 1, nanoseconds: 50_000, budget(), now: at(milliseconds: 0))
            return who.userID
        }
        #expect(next.contains(9), "\(next)")
    }

    @Test("gives each user the same time, whatever a call costs and however many connections there are")
    func sameTime() {
        var queue = CallQueue<Int>()
        var served: [UInt32: Int64] = [:]
        for connection in 0..<100 {
            queue.append(connection, of: caller(1), budget(1_000_000), now: at(milliseconds: 0))
        }
        queue.append(0, of: caller(2), budget(1_000_000), now: at(milliseconds: 0))
        while served.values.reduce(0, +) < 100_000_000, let (who, one) = queue.next(now: at(milliseconds: 0)) {
            let time: Int64 = who.userID == 1 ? 400_000 : 30_000
            served[who.userID, default: 0] += time
            queue.charge(who, calls: 0, nanoseconds: time, budget(), now: at(milliseconds: 0))
            queue.append(one, of: who, budget(), now: at(milliseconds: 0))
        }
        #expect(abs(served[1, default: 0] - served[2, default: 0]) <= 400_000, "\(served)")
    }

    @Test("limits a user's rate over all connections, and returns when the next call may be made")
    func pace() {
        var queue = CallQueue<Int>()
        var count = 0
        for connection in 0..<1_000 { queue.append(connection, of: caller(1), budget(), now: at(milliseconds: 0)) }
        while let (who, _) = queue.next(now: at(milliseconds: 0)) {
            count += 1
            queue.charge(who, calls: 1, nanoseconds: 1, budget(), now: at(milliseconds: 0))
        }
        #expect(count == 400 && queue.count == 600)
        #expect(queue.nextCall == BootTime(nanoseconds: 5_000_000))
        #expect(queue.next(now: BootTime(nanoseconds: 5_000_000)) != nil)
    }

    @Test("lets nobody save up time by not calling")
    func noSavings() {
        var queue = CallQueue<Int>()
        for _ in 0..<100 {
            queue.append(0, of: caller(1), budget(), now: at(milliseconds: 0))
            guard let (who, _) = queue.next(now: at(milliseconds: 0)) else { continue }
            queue.charge(who, calls: 0, nanoseconds: 1_000_000, budget(), now: at(milliseconds: 0))
        }
        for connection in 0..<10 {
            for user: UInt32 in 1...2 { queue.append(connection, of: caller(user), budget(), now: at(milliseconds: 0)) }
        }
        var first: [UInt32] = []
        for _ in 0..<6 {
            guard let (who, _) = queue.next(now: at(milliseconds: 0)) else { continue }
            first.append(who.userID)
            queue.charge(who, calls: 0, nanoseconds: 1_000_000, budget(), now: at(milliseconds: 0))
        }
        #expect(first.filter { $0 == 1 }.count >= 2, "\(first)")
    }

    @Test("charges nobody for a host that was suspended during a call")
    func stalled() {
        var queue = CallQueue<Int>()
        queue.charge(caller(1), calls: 1, nanoseconds: 8 * 3_600_000_000_000, budget(), now: at(milliseconds: 0))
        for connection in 0..<50 {
            for user: UInt32 in 1...2 { queue.append(connection, of: caller(user), budget(), now: at(milliseconds: 0)) }
        }
        var served: [UInt32] = []
        while served.count < 20, let (who, _) = queue.next(now: at(milliseconds: 0)) {
            served.append(who.userID)
            queue.charge(who, calls: 0, nanoseconds: 1_000_000, budget(), now: at(milliseconds: 0))
        }
        #expect(served.count { $0 == 1 } >= 8, "\(served)")
    }

    @Test("a share of time is enforced over a second, and debts are bounded")
    func share() {
        var share = TimeShare(percent: 10, burstNanoseconds: 2_000_000)
        var (now, worked) = (at(milliseconds: 1_000), Int64(0))
        while now < at(milliseconds: 2_000) {
            if share.opensAt <= now {
                share.take(300_000, now: now)
                worked += 300_000
            }
            now = now + 300_000
        }
        #expect(worked >= 99_000_000 && worked <= 103_000_000, "\(worked)")
        share.take(.max, now: now)
        #expect(share.opensAt - now <= 20_000_000)
    }
}
