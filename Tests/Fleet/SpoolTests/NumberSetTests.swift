import Testing

@testable import Spool

@Suite struct NumberSetTests {
    @Test("it is what a set of the same numbers is", arguments: 0..<50)
    func twin(seed: Int) {
        var dice = Dice(seed: UInt64(seed) + 3)
        var (set, twin) = (NumberSet(), Set<UInt64>())
        for _ in 0..<60 {
            let first = UInt64(dice.below(100))
            let range = first...first + UInt64(dice.below(8))
            set.insert(range)
            twin.formUnion(range)
            if dice.below(20) == 0 {
                let bound = UInt64(dice.below(60))
                set.removeAll(below: bound)
                twin = twin.filter { $0 >= bound }
            }
            #expect(Set(set.ranges.flatMap { $0 }) == twin)
            let probe = UInt64(dice.below(110))
            #expect(set.contains(probe) == twin.contains(probe))
            #expect(set.firstMissing(from: probe) == (probe...).first { !twin.contains($0) })
            let wide = probe...probe + UInt64(dice.below(30))
            #expect(set.contains(wide) == wide.allSatisfy(twin.contains))
            #expect(set.missing(in: wide).flatMap { $0 } == wide.filter { !twin.contains($0) })
            #expect(zip(set.ranges, set.ranges.dropFirst()).allSatisfy { $0.upperBound + 1 < $1.lowerBound })
        }
    }
}
