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
