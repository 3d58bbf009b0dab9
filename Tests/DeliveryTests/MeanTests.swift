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
}
