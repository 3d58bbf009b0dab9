/// A number that swings to and fro, or turns on and on, with its first and second derivatives: all by formula.
package struct Wave: Equatable, Sendable {
    package var offset: Double
    /// By how much it grows in a second.
    package var slope: Double
    package var amplitude: Double
    package var hertz: Double
    package var phaseRadians: Double

    package init(
        offset: Double = 0, slope: Double = 0, amplitude: Double = 0, hertz: Double = 0, phaseRadians: Double = 0
    ) {
        self.offset = offset
        self.slope = slope
        self.amplitude = amplitude
        self.hertz = hertz
        self.phaseRadians = phaseRadians
    }

    private var radiansPerSecond: Double { 2 * .pi * hertz }

    func value(at seconds: Double) -> Double {
        offset + slope * seconds + amplitude * (radiansPerSecond * seconds + phaseRadians).sine
    }

    func first(at seconds: Double) -> Double {
        slope + amplitude * radiansPerSecond * (radiansPerSecond * seconds + phaseRadians).cosine
    }

    func second(at seconds: Double) -> Double {
        -amplitude * radiansPerSecond * radiansPerSecond * (radiansPerSecond * seconds + phaseRadians).sine
    }
}
