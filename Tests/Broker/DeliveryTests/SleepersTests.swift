import Readings
import TestTools
import Testing

@testable import Delivery

@Suite("The lanes that sleep") struct SleepersTests {
    @Test("are offered nothing, wake when they are due, and stand in order then")
    func order() {
        var sleepers = Sleepers()
        sleepers.begin(with: 5)
        #expect(sleepers.isEmpty)
        sleepers.offer { $0 == 2 ? nil : at([40, 30, 0, 10, 20][$0.number]) }
        #expect(sleepers.awake == [2])
        #expect(sleepers.firstDue == at(10))
        #expect(woken(&sleepers, by: 9) == [])
        #expect(woken(&sleepers, by: 30) == [3, 4, 1])
        #expect(sleepers.awake == [1, 2, 3, 4])
        #expect(sleepers.firstDue == at(40))
        #expect(!sleepers.isEmpty)
    }

    @Test("all wake at once, and those that slept are named")
    func all() {
        var sleepers = Sleepers()
        sleepers.begin(with: 4)
        sleepers.offer { $0.number.isMultiple(of: 2) ? at(10) : nil }
        var woken: Set<LaneIndex> = []
        sleepers.wakeAll { woken.insert($0) }
        #expect(woken == [0, 2])
        #expect(sleepers.awake == [0, 1, 2, 3])
        #expect(sleepers.firstDue == nil)
        sleepers.wakeAll { _ in Issue.record("nobody sleeps") }
    }

    @Test("wake at their times, whatever these are", arguments: 0..<50 as Range<UInt64>)
    func random(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let count = Int.random(in: 1...80, using: &generator)
        var sleepers = Sleepers()
        sleepers.begin(with: count)
        var due: [LaneIndex: BootTime] = [:]
        for now: Int64 in 0..<200 {
            let expected = due.filter { $0.value <= at(now) }
            let woken = woken(&sleepers, by: now)
            #expect(Set(woken) == Set(expected.keys) && woken.count == expected.count)
            #expect(woken.compactMap { expected[$0] } == expected.values.sorted())
            for lane in woken { due[lane] = nil }
            #expect(sleepers.awake == LaneIndex.first(count).filter { due[$0] == nil })
            #expect(sleepers.firstDue == due.values.min())
            sleepers.offer { lane in
                guard Bool.random(using: &generator) else { return nil }
                due[lane] = at(now + .random(in: 1...60, using: &generator))
                return due[lane]
            }
        }
    }

    private func woken(_ sleepers: inout Sleepers, by instant: Int64) -> [LaneIndex] {
        var woken: [LaneIndex] = []
        sleepers.wake(dueBy: at(instant)) { woken.append($0) }
        return woken
    }
}
