import Readings
import Simulation
import TestTools
import Testing

@testable import Delivery

@Suite("A member of a lane") struct MemberTests {
    @Test("catches up with nothing that was measured before it joined")
    func newestOfBefore() {
        var member = Member(client: 1, since: at(100), newest: nil)
        member.willReport(Gap(cause: .deviceOverflow, count: 1, from: at(90), until: at(110)))
        let (gaps, reading) = member.catchUp(with: Samples.acceleration(3, at: 80))
        #expect(gaps.count == 1)
        #expect(reading == nil)
        #expect(member.lost == 0 && member.delivered == 0)
    }

    @Test("gets a gap with count and span for what it missed, and then the newest reading")
    func catchUp() {
        var member = Member(client: 1, since: at(0), newest: nil)
        member.didDeliver(alone: Samples.acceleration(0, at: 0))
        for index: UInt64 in 1...5 { member.didLose([Samples.acceleration(index, at: Int64(index) * 10)]) }
        let (gaps, reading) = member.catchUp(with: Samples.acceleration(5, at: 50))
        #expect(gaps == [Gap(cause: .slowClient, count: 4, from: at(10), until: at(40))])
        #expect(reading?.sequence == 5)
        #expect(member.delivered == 2)
        #expect(member.lost == 4)
        #expect(member.catchUp(with: Samples.acceleration(5, at: 50)).gaps.isEmpty, "reported once")
    }

    @Test("has missed nothing if the only reading it missed is the newest")
    func onlyTheNewest() {
        var member = Member(client: 1, since: at(0), newest: nil)
        member.didLose([Samples.acceleration(0, at: 0)])
        let (gaps, reading) = member.catchUp(with: Samples.acceleration(0, at: 0))
        #expect(gaps.isEmpty)
        #expect(reading?.sequence == 0)
        #expect(member.lost == 0)
    }

    @Test("counts its losses by cause, whether reported at once or later, and not those without a count")
    func losses() {
        var member = Member(client: 1, since: at(0), newest: nil)
        member.didReport(Gap(cause: .deviceOverflow, count: 15, from: at(10), until: at(20)))
        member.willReport(Gap(cause: .deviceOverflow, count: 2, from: at(30), until: at(40)))
        member.willReport(Gap(cause: .deviceLost, count: nil, from: at(50), until: at(60)))
        member.didLose([Samples.acceleration(7, at: 70), Samples.acceleration(8, at: 80)])
        _ = member.catchUp(with: Samples.acceleration(8, at: 80))
        #expect(member.losses[.deviceOverflow] == 17 && member.losses[.deviceLost] == 0)
        #expect(member.lost == 1 && member.losses.total == 18)
    }

    @Test("accounts for every reading of batches as delivered or lost", arguments: [1, 2, 3, 7])
    func accounts(batch: Int) {
        var member = Member(client: 1, since: at(0), newest: nil)
        var reported = 0
        var due = 0
        for turn in 0..<60 {
            let readings = SampleList(
                (0..<batch).map { Samples.acceleration(UInt64(turn * batch + $0), at: Int64(turn * batch + $0)) })
            due += batch
            if turn % 10 < 4 { member.didLose(readings) } else { member.didDeliver(readings) }
            guard turn % 10 == 3 else { continue }
            let (gaps, _) = member.catchUp(with: readings.last)
            reported += gaps.compactMap(\.count).reduce(0, +)
        }
        #expect(member.delivered + member.lost == due)
        #expect(reported == member.lost)
    }

    @Test("keeps one gap per cause, however long it sleeps")
    func boundedTally() {
        var member = Member(client: 1, since: at(0), newest: nil)
        for index in 0..<10_000 {
            member.didLose([Samples.acceleration(UInt64(index), at: Int64(index))])
            member.willReport(
                Gap(cause: .deviceOverflow, count: 1, from: at(Int64(index)), until: at(Int64(index))))
        }
        #expect(member.catchUp(with: nil).gaps.map(\.count) == [10_000, 10_000])
    }

    @Test("has a count of losses that is clamped to the largest integer")
    func manyMissing() {
        var member = Member(client: 1, since: at(0), newest: nil)
        let gap = Gap(cause: .deviceOverflow, count: .max, from: at(1), until: at(2))
        member.willReport(gap)
        member.willReport(gap)
        #expect(member.catchUp(with: nil).gaps == [gap])
    }
}
