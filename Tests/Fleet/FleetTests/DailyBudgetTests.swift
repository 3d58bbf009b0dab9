import Configuration
import Spool
import Testing

@testable import Fleet

private let hour: Int64 = 3_600_000_000_000

/// So many hours after midnight of some day, by both clocks.
private func moment(_ hours: Double, day: Int64 = 20_000) -> Moment {
    let nanoseconds = Int64(hours * 3.6e12)
    return Moment(
        bootNanoseconds: day * 24 * hour + nanoseconds, utcMicroseconds: (day * 24 * hour + nanoseconds) / 1_000)
}

@Suite struct DailyBudgetTests {
    @Test("it grows with the day: the backlog gets what the day has brought, what is new a bit more, high all of it")
    func leads() {
        var budget = DailyBudget(bytes: 24_000, saved: nil, moment(6))
        budget.spend(5_900)
        #expect(budget.allows(.high, isNew: false, moment(6)) && budget.allows(.low, isNew: false, moment(6)))
        budget.spend(200)
        #expect(!budget.allows(.high, isNew: false, moment(6)) && budget.allows(.low, isNew: true, moment(6)))
        budget.spend(500)
        #expect(!budget.allows(.low, isNew: true, moment(6)) && budget.allows(.normal, isNew: true, moment(6)))
        budget.spend(500)
        #expect(!budget.allows(.normal, isNew: true, moment(6)) && budget.allows(.high, isNew: true, moment(6)))
        #expect(budget.allows(.normal, isNew: true, moment(6.2)) && !budget.allows(.high, isNew: false, moment(7)))
        budget.spend(17_000)
        for priority in Priority.allCases { #expect(!budget.allows(priority, isNew: true, moment(23.9))) }
    }

    @Test("each day begins anew, a restart does not, and a clock that is not set yet changes nothing for a day")
    func days() {
        var budget = DailyBudget(bytes: 1_000, saved: nil, moment(23))
        budget.spend(1_000)
        budget.turn(moment(23.5))
        #expect(!budget.allows(.high, isNew: true, moment(23.5)))
        let saved = budget.text(moment(23.5))
        #expect(saved == "20000 1000 30")
        let again = DailyBudget(bytes: 1_000, saved: saved, moment(23.6))
        #expect(again.spentToday == 1_000)
        #expect(DailyBudget(bytes: 1_000, saved: saved, moment(1, day: 20_001)).spentToday == 0)
        #expect(DailyBudget(bytes: 1_000, saved: "20000 1000", moment(23.6)).spentToday == 1_000)
        var unset = DailyBudget(bytes: 1_000, saved: saved, moment(1, day: 3))
        #expect(unset.spentToday == 1_000)
        unset.turn(moment(24.4, day: 3))
        #expect(unset.spentToday == 1_000)
        unset.turn(moment(24.5, day: 3))
        #expect(unset.spentToday == 0)
        for text in ["", "x", "20000", "20000 -5", "20000 1 -2", "20000 1 2 3", "99999999999999999999 1"] {
            #expect(DailyBudget(bytes: 1_000, saved: text, moment(23)).spentToday == 0)
        }
        let endless = DailyBudget(bytes: 1_000, saved: "20000 1 9223372036854775807", moment(23))
        #expect(endless.spentToday == 1)
    }

    @Test("a clock that was ahead holds nothing back for longer than a day", arguments: [true, false, nil])
    func ahead(isSynchronized: Bool?) {
        var budget = DailyBudget(bytes: 1_000, saved: nil, moment(8, day: 27_000))
        budget.spend(1_000)
        var text = budget.text(moment(16, day: 27_000))
        // Eight hours each day.
        for day: Int64 in 20_000..<20_004 {
            var now = moment(8, day: day)
            now.isSynchronized = isSynchronized
            budget = DailyBudget(bytes: 1_000, saved: text, now)
            for _ in 0..<8 {
                now.bootNanoseconds += hour
                now.utcMicroseconds += hour / 1_000
                budget.turn(now)
            }
            if budget.allows(.high, isNew: true, now) { budget.spend(1_000) }
            text = budget.text(now)
        }
        #expect(text.hasPrefix("20003 ") && budget.spentToday == 1_000)
        budget.turn(moment(8, day: 20_004))
        #expect(budget.spentToday == 0)
    }

    @Test("a permit holds back lanes by their priorities, and the backlog while its condition does not hold")
    func permits() {
        var budget = DailyBudget(bytes: 24_000, saved: nil, moment(0))
        budget.spend(900)
        let lanes: [Priority] = [.high, .normal, .low]
        let permit = SendPermit(lanes, budget, isBacklogOpen: true, moment(0))
        #expect((0..<3).map(permit.allowsNew) == [true, true, false])
        #expect((0..<3).map(permit.allowsBacklog) == [false, false, false] && permit.holdsAgain)
        #expect(permit.lookAgain != nil)
        let closed = SendPermit(lanes, nil, isBacklogOpen: false, moment(0))
        #expect((0..<3).allSatisfy(closed.allowsNew) && !(0..<3).contains(where: closed.allowsBacklog))
        let open = SendPermit(lanes, nil, isBacklogOpen: true, moment(0))
        #expect((0..<3).allSatisfy(open.allowsBacklog) && open.lookAgain == nil && SendPermit.all.lookAgain == nil)
    }

    @Test("a gate opens on its grid, and lets through what is due before it opens again")
    func gate() {
        var gate = BundleGate(intervalNanoseconds: 10)
        #expect(gate.deadline == nil && gate.isLastChance(for: 0, 0) && !gate.isLastChance(for: 5, 0))
        gate.close(0)
        #expect(gate.deadline == 10)
        let isEarly = gate.turn(9), isOpen = gate.turn(12)
        #expect(!isEarly && isOpen && gate.deadline == nil && !gate.isLastChance(for: 22, 12))
        // It opened at 10: what is due before 20 goes, and what was sent at 15 is due again at 25.
        #expect(gate.isLastChance(for: 19, 15) && !gate.isLastChance(for: 25, 16) && gate.isLastChance(for: 25, 25))
        // What is due each three, and has left at 12, waits for 20, and then leaves each three.
        #expect(gate.again(15, 12) == 20 && !gate.isLastChance(for: gate.again(15, 12), 13))
        #expect(gate.again(24, 21) == 24 && !gate.isLastChance(for: 24, 22))
        #expect(gate.isLastChance(for: 24, 24))
        gate.close(13)
        #expect(gate.deadline == 20 && !gate.isLastChance(for: 0, 13))
        #expect(gate.chance(for: 15) == 20 && gate.chance(for: 25) == 25)
        for now in [14, 15, 19] as [Int64] {
            // Connections that come before its time.
            gate.open()
            gate.close(now)
            #expect(gate.deadline == 20)
        }
        var open = BundleGate(intervalNanoseconds: nil)
        open.close(5)
        #expect(open.deadline == nil && open.isLastChance(for: 5, 5) && !open.isLastChance(for: 6, 5))
        #expect(open.again(8, 5) == 8)
    }

    @Test("a condition is a whole path, and may be turned round")
    func conditions() throws {
        #expect(try PathCondition(parsing: "!/run/metered") == PathCondition(parsing: "!/run/metered"))
        #expect(try PathCondition(parsing: "!/run/metered").text == "!/run/metered")
        #expect(try PathCondition(parsing: "/run/free").isPresent)
        for text in ["run/free", "!", "", "! /run"] {
            #expect(throws: SettingRefusal.self) { try PathCondition(parsing: text) }
        }
    }
}
