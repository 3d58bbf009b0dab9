/// How far magnetic north is from where the attitude's heading began: one number, on top of the attitude, so that no
/// magnet can tilt it.
///
/// It is a Kalman filter of one state. What a field shows is wrong for seconds, not from sample to sample: its noise is
/// a variance times the time for which it lasts.
struct NorthOffset {
    /// What turns the level frame into the one of east and north, counter-clockwise; nil before the first field.
    private(set) var radians: Double?
    private(set) var variance = 0.0

    /// The mean of what was lately seen beside it.
    private var surprise = 0.0

    private static let surpriseSeconds = 5.0
    /// That of a heading of which nothing is known.
    private static let mostVariance = Double.pi * .pi / 3

    /// Takes an error that grows with the time, and not with its root: a bias.
    mutating func drift(radiansPerSecond: Double, after seconds: Double) {
        let error = variance.squareRoot() + radiansPerSecond * seconds
        variance = min(Self.mostVariance, error * error)
    }

    /// Takes an error that differs from turn to turn.
    mutating func blur(variance: Double) { self.variance = min(Self.mostVariance, self.variance + variance) }

    /// Takes where north seems to be, with its variance, and that over a second.
    ///
    /// What is seen beside it for seconds, by more than its variance explains, is the heading's own error: a gyroscope
    /// that shows 1 % too much, say, in a turn that goes on.
    mutating func take(seen: Double, variance seenVariance: Double, noise: Double, after seconds: Double) {
        assert(noise > 0, "no field is exact")
        guard let radians else {
            radians = seen
            variance = min(Self.mostVariance, noise)
            return
        }
        let difference = Self.wrapped(seen - radians)
        surprise += (difference - surprise) * min(1, seconds / Self.surpriseSeconds)
        variance = min(Self.mostVariance, max(variance, surprise * surprise - seenVariance))
        let gain = variance * seconds / (variance * seconds + noise)
        self.radians = Self.wrapped(radians + gain * difference)
        surprise -= gain * difference
        variance -= gain * variance
        assert(variance >= 0, "a field makes the heading more certain")
    }

    /// An angle from half a turn to the left to half a turn to the right.
    static func wrapped(_ radians: Double) -> Double { radians - (radians / (2 * .pi)).rounded() * 2 * .pi }
}
