import Foundation
import Mock
import Readings
import Testing

@Suite struct MockMotionTests {
    private static func motion(seed: UInt64) -> [Acceleration] {
        (0..<12_000).map { MockMotion(seed: seed).acceleration(atNanoseconds: $0 * 10_000_000) }
    }

    @Test("the magnitude is about that of gravity, on the mean very nearly", arguments: [0, 7, 1234] as [UInt64])
    func magnitude(seed: UInt64) {
        let squares: [Double] = Self.motion(seed: seed).map {
            let (x, y, z) = ($0.x, $0.y, $0.z); return x * x + y * y + z * z
        }
        let magnitudes = squares.map { $0.squareRoot() }
        #expect(magnitudes.allSatisfy { (8...12).contains($0) })
        let mean: Double = magnitudes.reduce(0, +) / Double(magnitudes.count)
        #expect(abs(mean - 9.8) < 0.1)
    }

    @Test("it leans back, is turned from upright to its left side and back, walks and is never the same twice")
    func moves() {
        let motion = Self.motion(seed: 1)
        #expect(motion.allSatisfy { $0.z > 1 })
        #expect(motion.count { $0.y > 5 } > motion.count / 3, "upright")
        #expect(motion.count { $0.x < -5 } > motion.count / 3, "with its left edge up")
        for axis: [Double] in [motion.map(\.x), motion.map(\.y)] {
            let (least, most) = (axis.min() ?? 0, axis.max() ?? 0)
            #expect(most - least > 2)
        }
        #expect(zip(motion, motion.dropFirst()).allSatisfy { $0 != $1 })
    }

    @Test("it is finite at any time", arguments: [0, 1, -1, .max, .min, .max / 2] as [Int64])
    func finite(nanoseconds: Int64) {
        let value = MockMotion(seed: 1).acceleration(atNanoseconds: nanoseconds)
        #expect(value.x.isFinite && value.y.isFinite && value.z.isFinite)
    }

    @Test("one seed gives one motion, another seed another")
    func seeded() {
        #expect(Self.motion(seed: 1) == Self.motion(seed: 1))
        #expect(Self.motion(seed: 1) != Self.motion(seed: 2))
    }
}
