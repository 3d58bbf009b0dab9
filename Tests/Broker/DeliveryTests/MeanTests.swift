import Foundation
import Readings
import Testing

@testable import Delivery

@Suite("A mean") struct MeanTests {
    @Test("is stamped at the mean time even if the sum of the differences is not divisible")
    func longSpan() {
        var mean = Mean()
        for (index, stamp) in [0, 5_000_000_000_000_000_000, 5_000_000_000_000_000_000].enumerated() {
            mean.add(Samples.acceleration(UInt64(index), at: Int64(stamp)))
        }
        #expect(mean.sample?.timestamp.nanoseconds == 3_333_333_333_333_333_333)
    }

    @Test("whose sum overflows is replaced by the newest value")
    func beyondDoubles() {
        var mean = Mean()
        mean.add(Samples.acceleration(0, at: 0, x: 1.7e308))
        mean.add(Samples.acceleration(1, at: 10, x: 1.6e308))
        #expect(mean.sample?.x == 1.6e308)
    }

    private func mean(of kind: Kind, _ vectors: [SIMD4<Double>]) -> [Double] {
        var mean = Mean()
        for (index, vector) in vectors.enumerated() {
            mean.add(
                Sample(
                    sequence: UInt64(index), timestamp: BootTime(nanoseconds: Int64(index)),
                    measurement: .values(Values(kind, vector))))
        }
        guard case .values(let values) = mean.sample?.measurement else { return [] }
        return values.numbers
    }

    private func turn(degrees: Double, sign: Double = 1) -> SIMD4<Double> {
        let half = degrees * .pi / 360
        return SIMD4(0, 0, sin(half), cos(half)) * sign
    }

    private func isClose(_ first: [Double], _ second: [Double]) -> Bool {
        first.count == second.count && zip(first, second).allSatisfy { abs($0 - $1) < 1e-12 }
    }

    @Test("of rotations is one, half-way on their sphere, whichever sign they have")
    func rotations() {
        for sign in [1.0, -1] {
            let middle = mean(of: .rotation, [turn(degrees: 0), turn(degrees: 90, sign: sign)])
            #expect(isClose(middle, [0, 0, sin(.pi / 8), cos(.pi / 8)]))
        }
        // 350° is 10° the other way.
        let across = mean(of: .rotation, [turn(degrees: 10), turn(degrees: 350)])
        #expect(isClose(across.map(\.magnitude), [0, 0, 0, 1]))
        #expect(
            isClose(
                mean(of: .rotation, [turn(degrees: 30), turn(degrees: 30, sign: -1)]),
                [0, 0, sin(.pi / 12), cos(.pi / 12)]))
    }

    @Test("of headings goes the short way round; all around there is none, and the newest stands for it")
    func headings() {
        #expect(abs(mean(of: .heading, [[350, 0, 0, 0], [20, 0, 0, 0]])[0] - 5) < 1e-9)
        #expect(abs(mean(of: .heading, [[340, 0, 0, 0], [350, 0, 0, 0]])[0] - 345) < 1e-9)
        #expect(mean(of: .heading, [[0, 0, 0, 0], [180, 0, 0, 0]]) == [180])
    }

    @Test("of what is near or not is the newest")
    func proximity() { #expect(mean(of: .proximity, [[0, 10, 0, 0], [1, 90, 0, 0]]) == [1, 90]) }
}
