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
