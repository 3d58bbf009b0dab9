import Readings
import Testing

@testable import Delivery

@Suite("A mean") struct MeanTests {
    @Test("is stamped at the mean time even where the distances do not add up to an instant")
    func longSpan() {
        var mean = Mean()
        for (index, stamp) in [0, 5_000_000_000_000_000_000, 5_000_000_000_000_000_000].enumerated() {
            mean.add(Samples.acceleration(UInt64(index), at: Int64(stamp)))
        }
        #expect(mean.sample?.timestamp.nanoseconds == 3_333_333_333_333_333_333)
    }

    @Test("whose sum no double holds is no number of its own: the newest stands for it")
    func beyondDoubles() {
        var mean = Mean()
        mean.add(Samples.acceleration(0, at: 0, x: 1.7e308))
        mean.add(Samples.acceleration(1, at: 10, x: 1.6e308))
        #expect(mean.sample?.x == 1.6e308)
    }
}
