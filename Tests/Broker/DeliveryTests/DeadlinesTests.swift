import Readings
import TestTools
import Testing

@testable import Delivery

@Suite("Deadlines by slot") struct DeadlinesTests {
    @Test("yield the first, whatever is set, changed and removed", arguments: 0..<20 as Range<UInt64>)
    func random(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var deadlines = Deadlines()
        var expected: [Int: BootTime] = [:]
        let slots = Int.random(in: 1...60, using: &generator)
        var wrong: [Int] = []
        for step in 0..<2_000 {
            let slot = Int.random(in: 0..<slots, using: &generator)
            let isSet = Int.random(in: 0..<3, using: &generator) > 0
            let instant = isSet ? BootTime(nanoseconds: .random(in: 0...40, using: &generator)) : nil
            deadlines.set(instant, of: slot)
            expected[slot] = instant
            let (first, least) = (deadlines.first, expected.values.min())
            let isRight =
                first?.instant == least && first.flatMap { expected[$0.slot] } == least
                && deadlines.count == expected.count && Set(deadlines.slots) == Set(expected.keys)
            if !isRight { wrong.append(step) }
            guard step % 500 == 499 else { continue }
            deadlines.removeAll()
            expected = [:]
            #expect(deadlines.isEmpty && deadlines.first == nil)
        }
        #expect(wrong.isEmpty)
    }

    @Test("move up to slots that are no more", arguments: 0..<50 as Range<UInt64>)
    func closeUp(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var deadlines = Deadlines()
        var expected: [BootTime?] = []
        for _ in 0..<40 {
            for _ in 0..<8 {
                expected.append(nil)
                guard Bool.random(using: &generator) else { continue }
                let instant = BootTime(nanoseconds: .random(in: 0...40, using: &generator))
                let slot = Int.random(in: expected.indices, using: &generator)
                expected[slot] = instant
                deadlines.set(instant, of: slot)
            }
            let gone = expected.indices.filter { _ in Int.random(in: 0..<6, using: &generator) == 0 }
            deadlines.close(up: gone)
            for slot in gone.reversed() { expected.remove(at: slot) }
            #expect(Set(deadlines.slots) == Set(expected.indices.filter { expected[$0] != nil }))
            let (first, least) = (deadlines.first, expected.compactMap(\.self).min())
            #expect(first?.instant == least && first.flatMap { expected[$0.slot] } == least)
        }
    }
}
