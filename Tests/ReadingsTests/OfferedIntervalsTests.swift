import Readings
import Testing

@Suite("The intervals that a device offers") struct OfferedIntervalsTests {
    @Test("have a shortest one")
    func shortest() {
        #expect(OfferedIntervals.discrete([5, 10]).shortestNanoseconds == 5)
        #expect(OfferedIntervals.range(shortestNanoseconds: 3, longestNanoseconds: 9).shortestNanoseconds == 3)
        #expect(OfferedIntervals.fixed(shortestNanoseconds: 4).shortestNanoseconds == 4)
    }
}
