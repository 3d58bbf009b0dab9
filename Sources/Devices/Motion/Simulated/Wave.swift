/// A number that swings to and fro, or turns on and on, at a pace of its own; values and growth are worked out for four at once
/// (`FourWaves`).
package struct Wave: Equatable, Sendable {
    package var offset: Double
    /// By how much it grows in a second of its own time, as the other numbers.
    package var slope: Double
    package var amplitude: Double
    package var hertz: Double
    package var phaseRadians: Double
    package var pace: Pace

    package init(
        offset: Double = 0, slope: Double = 0, amplitude: Double = 0, hertz: Double = 0, phaseRadians: Double = 0,
        pace: Pace = Pace()
    ) {
        self.offset = offset
        self.slope = slope
        self.amplitude = amplitude
        self.hertz = hertz
        self.phaseRadians = phaseRadians
        self.pace = pace
    }

    /// Whether it ever changes.
    fileprivate var moves: Bool { amplitude != 0 || slope != 0 }
}

/// Four waves, whose sines are worked out together.
///
/// A class, since all of a structure is copied before one number of it is used.
final class FourWaves: Sendable {
    private let paces: (Pace, Pace, Pace, Pace)
    /// Whether all that move have one pace, whose time is then worked out once.
    private let haveOnePace: Bool
    private let offsets, slopes, amplitudes: SIMD4<Double>
    /// In turns, per second of each one's own time and at its beginning.
    private let hertz, phases: SIMD4<Double>
    private let radiansPerSecond: SIMD4<Double>

    init(_ first: Wave, _ second: Wave, _ third: Wave, _ fourth: Wave) {
        func each(_ number: (Wave) -> Double) -> SIMD4<Double> {
            SIMD4(number(first), number(second), number(third), number(fourth))
        }
        let moving = [first, second, third, fourth].filter(\.moves)
        haveOnePace = moving.allSatisfy { $0.pace == moving[0].pace }
        let common = haveOnePace ? moving.first?.pace : nil
        paces = (common ?? first.pace, second.pace, third.pace, fourth.pace)
        (offsets, slopes, amplitudes) = (each(\.offset), each(\.slope), each(\.amplitude))
        (hertz, phases) = (each(\.hertz), each(\.phaseRadians) / (2 * .pi))
        radiansPerSecond = hertz * (2 * .pi)
    }

    /// The value of each at one time and, if wanted, how fast it grows; else zeros.
    @inline(__always)
    func valuesAndDerivatives(
        at seconds: Double, derivatives: Bool
    ) -> (values: SIMD4<Double>, derivatives: SIMD4<Double>) {
        let now = instants(at: seconds)
        let turns = hertz * now.seconds + phases
        guard derivatives else { return (offsets + slopes * now.seconds + amplitudes * turns.sinesOfTurns, .zero) }
        let (sines, cosines) = turns.sinesAndCosinesOfTurns
        return (offsets + slopes * now.seconds + amplitudes * sines, growth(cosines) * now.speeds)
    }

    /// How fast the growth of each changes at one time; nil if all rest, which costs no sine.
    @inline(__always)
    func secondDerivatives(at seconds: Double) -> SIMD4<Double>? {
        let now = instants(at: seconds)
        if haveOnePace ? now.speeds.x == 0 : now.speeds == .zero { return nil }
        let (sines, cosines) = (hertz * now.seconds + phases).sinesAndCosinesOfTurns
        let bends = amplitudes * radiansPerSecond * radiansPerSecond * sines
        return growth(cosines) * now.changes - bends * now.speeds * now.speeds
    }

    /// How fast each grows in its own time.
    @inline(__always)
    private func growth(_ cosines: SIMD4<Double>) -> SIMD4<Double> { slopes + amplitudes * radiansPerSecond * cosines }

    /// Each one's own time, how fast it goes, and how that changes.
    @inline(__always)
    private func instants(
        at seconds: Double
    ) -> (seconds: SIMD4<Double>, speeds: SIMD4<Double>, changes: SIMD4<Double>) {
        let first = paces.0.instant(at: seconds)
        if haveOnePace {
            return (SIMD4(repeating: first.seconds), SIMD4(repeating: first.speed), SIMD4(repeating: first.change))
        }
        let (second, third) = (paces.1.instant(at: seconds), paces.2.instant(at: seconds))
        let fourth = paces.3.instant(at: seconds)
        return (
            SIMD4(first.seconds, second.seconds, third.seconds, fourth.seconds),
            SIMD4(first.speed, second.speed, third.speed, fourth.speed),
            SIMD4(first.change, second.change, third.change, fourth.change)
        )
    }
}
