/// How far magnetic north is from where the attitude's heading began: one number, on top of the attitude, so that no
/// magnet can tilt it.
///
/// It is a Kalman filter of one state. What a field shows is wrong for seconds, not from sample to sample: its noise is
/// a variance times the time for which it lasts.
struct NorthOffset {
    /// What turns the level frame into the one of east and north, counter-clockwise; nil before the first field.
    private(set) var radians: Double?
    private(set) var variance = 0.0

    /// That of a heading of which nothing is known.
    private static let mostVariance = Double.pi * .pi / 3

    /// Takes an error that grows with the time, and not with its root: a bias.
    mutating func drift(radiansPerSecond: Double, after seconds: Double) {
        let error = variance.squareRoot() + radiansPerSecond * seconds
        variance = min(Self.mostVariance, error * error)
    }

    /// Takes an error that differs from turn to turn.
    mutating func blur(variance: Double) { self.variance = min(Self.mostVariance, self.variance + variance) }

    /// Takes where north seems to be, with its variance over a second.
    mutating func take(seen: Double, noise: Double, after seconds: Double) {
        assert(noise > 0, "no field is exact")
        guard let radians else {
            radians = seen
            variance = min(Self.mostVariance, noise)
            return
        }
        let gain = variance * seconds / (variance * seconds + noise)
        self.radians = Self.wrapped(radians + gain * Self.wrapped(seen - radians))
        variance -= gain * variance
        assert(variance >= 0, "a field makes the heading more certain")
    }

    /// An angle from half a turn to the left to half a turn to the right.
    static func wrapped(_ radians: Double) -> Double { radians - (radians / (2 * .pi)).rounded() * 2 * .pi }
}
