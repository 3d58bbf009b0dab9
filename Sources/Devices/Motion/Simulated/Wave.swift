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

    private var radiansPerSecond: Double { 2 * .pi * hertz }

    private func angle(_ now: Pace.Instant) -> Double { radiansPerSecond * now.seconds + phaseRadians }

    /// How fast it grows; nothing does that rests, and costs no cosine.
    private func first(_ now: Pace.Instant, times speed: Double) -> Double {
        speed == 0 ? 0 : (slope + amplitude * radiansPerSecond * angle(now).cosine) * speed
    }

    func second(at seconds: Double) -> Double {
        guard amplitude != 0 || slope != 0 else { return 0 }
        let now = pace.instant(at: seconds)
        guard amplitude != 0, now.speed != 0 else { return first(now, times: now.change) }
        let bend = -amplitude * radiansPerSecond * radiansPerSecond * angle(now).sine
        return bend * now.speed * now.speed + first(now, times: now.change)
    }
}

/// Four waves, whose sines are worked out together.
struct FourWaves: Sendable {
    private let paces: (Pace, Pace, Pace, Pace)
    private let offsets, slopes, amplitudes: SIMD4<Double>
    /// In turns, per second of each one's own time and at its beginning.
    private let hertz, phases: SIMD4<Double>

    init(_ first: Wave, _ second: Wave, _ third: Wave, _ fourth: Wave) {
        func each(_ number: (Wave) -> Double) -> SIMD4<Double> {
            SIMD4(number(first), number(second), number(third), number(fourth))
        }
        paces = (first.pace, second.pace, third.pace, fourth.pace)
        (offsets, slopes, amplitudes) = (each(\.offset), each(\.slope), each(\.amplitude))
        (hertz, phases) = (each(\.hertz), each(\.phaseRadians) / (2 * .pi))
    }

    /// The value of each at one time and, if wanted, how fast it grows; else zeros.
    @inline(__always)
    func valuesAndFirsts(at seconds: Double, firsts: Bool) -> (values: SIMD4<Double>, firsts: SIMD4<Double>) {
        let now = (
            paces.0.instant(at: seconds), paces.1.instant(at: seconds), paces.2.instant(at: seconds),
            paces.3.instant(at: seconds)
        )
        let times = SIMD4(now.0.seconds, now.1.seconds, now.2.seconds, now.3.seconds)
        let turns = hertz * times + phases
        let values = offsets + slopes * times + amplitudes * turns.sinesOfTurns
        guard firsts else { return (values, .zero) }
        let speeds = SIMD4(now.0.speed, now.1.speed, now.2.speed, now.3.speed)
        return (values, (slopes + amplitudes * (2 * .pi) * hertz * turns.cosinesOfTurns) * speeds)
    }
}
