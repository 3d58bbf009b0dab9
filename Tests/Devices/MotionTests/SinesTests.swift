import Foundation
import Testing

@testable import Motion

@Suite struct SinesTests {
    @Test(
        "sines and cosines of turns are those of the library, to 15 digits",
        arguments: [0, 1, -1, 1e3, -1e6] as [Double])
    func accuracy(turns whole: Double) {
        for place in stride(from: 0, to: 4_000, by: 4) {
            let parts = SIMD4<Double>(0, 1, 2, 3) + Double(place)
            let turns = whole + parts / 4_000
            let (sines, cosines) = turns.sinesAndCosinesOfTurns
            #expect(sines == turns.sinesOfTurns)
            // What the sum with a whole number leaves of the part.
            let angles = (turns - whole) * (2 * .pi)
            for lane in 0..<4 {
                // Both are rounded, and so is the angle.
                #expect(abs(sines[lane] - sin(angles[lane])) < 2e-15, "at \(turns[lane]) turns")
                #expect(abs(cosines[lane] - cos(angles[lane])) < 2e-15 + abs(whole) * 2e-15, "at \(turns[lane]) turns")
            }
        }
    }

    @Test("a motion at rest is at rest: the sine of nothing is nothing")
    func exact() {
        #expect(SIMD4<Double>(0, 1, -7, 0.5).sinesOfTurns == SIMD4(0, 0, 0, 0))
        #expect(SIMD4<Double>(0, 1, -7, 0.5).sinesAndCosinesOfTurns.cosines == SIMD4(1, 1, 1, -1))
    }

    @Test("what has no sine has none", arguments: [Double.nan, .infinity, -.infinity])
    func nothing(turns: Double) { #expect(SIMD4(repeating: turns).sinesOfTurns.x.isNaN) }
}
