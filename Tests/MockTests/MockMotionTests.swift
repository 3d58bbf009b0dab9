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
        let magnitudes = Self.motion(seed: seed).map { ($0.x * $0.x + $0.y * $0.y + $0.z * $0.z).squareRoot() }
        #expect(magnitudes.allSatisfy { (8...12).contains($0) })
        #expect(abs(magnitudes.reduce(0, +) / Double(magnitudes.count) - 9.8) < 0.1)
    }

    @Test("it leans back, is turned from upright to its left side and back, walks and is never the same twice")
    func moves() {
        let motion = Self.motion(seed: 1)
        #expect(motion.allSatisfy { $0.z > 1 })
        #expect(motion.count { $0.y > 5 } > motion.count / 3, "upright")
        #expect(motion.count { $0.x < -5 } > motion.count / 3, "with its left edge up")
        #expect((motion.map(\.x).max() ?? 0) - (motion.map(\.x).min() ?? 0) > 2)
        #expect((motion.map(\.y).max() ?? 0) - (motion.map(\.y).min() ?? 0) > 2)
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
