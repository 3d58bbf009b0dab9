import Foundation
import Testing

@testable import Mock

@Suite struct NoiseTests {
    @Test("noise has its strength, a mean of 0, and is the same for the same sample")
    func noise() {
        let values = (0..<20_000).map { (place: Int64) in
            let normal = Noise.normal(place * 10_000_000, seed: 7)
            return SIMD3(normal.x, normal.y, normal.z)
        }
        let mean = values.reduce(.zero, +) / 20_000
        let variance = values.reduce(.zero) { $0 + $1 * $1 } / 20_000
        for axis in 0..<3 {
            #expect(abs(mean[axis]) < 0.05)
            #expect(abs(variance[axis] - 1) < 0.1)
        }
        #expect(Noise.normal(12_345, seed: 7) == Noise.normal(12_345, seed: 7))
        #expect(Noise.normal(12_345, seed: 7) != Noise.normal(12_345, seed: 8))
    }

    @Test("a quantile is the number below which its part of the distribution lies, to nine digits")
    func quantiles() {
        for place in -4_999...4_999 {
            let part = Double(place) / 10_000
            let quantile = NormalDistribution.quantiles(beyondHalf: SIMD4(repeating: part)).x
            #expect(quantile.sign == part.sign || part == 0)
            let rest = erfc(abs(quantile) / 2.0.squareRoot()) / 2
            #expect(abs(rest / (0.5 - abs(part)) - 1) < 2e-8, "\(part)")
        }
    }

    @Test("the rarest numbers are finite, and each lane has its own")
    func extremes() {
        let least = NormalDistribution.quantiles(beyondHalf: SIMD4(-0.5, -0.5 + 0x1p-53, 0.5 - 0x1p-53, 0))
        #expect(least.x < least.y && least.y < -8 && least.x > -9)
        #expect(least.z == -least.y)
        #expect(least.w == 0)
    }
}
