/// The mean acceleration in a frame that does not turn: the vertical, since what a device does beside it cancels out
/// there.
struct MeanAcceleration {
    static let timeConstantSeconds = 3.0
    /// A longer interval counts as this one: one sample after a pause does not stand for all of it.
    private static let longestSeconds = 0.1

    /// Half a period of the low pass, after which its weight of the start is 0: then nothing jumps when it takes over
    /// from the mean since the start.
    private static let startSeconds = Double.pi * timeConstantSeconds

    private var start: StartingMean? = StartingMean()
    private var low = LowPass(afterNothing: true)
    private var total = 0.0

    /// How long the mean reaches back, in seconds.
    var seconds: Double { total }
    /// Whether the mean is of all since the start.
    var isStarting: Bool { start != nil }
    /// Whether its length is that of the acceleration: at first the low pass shows too little and then too much.
    var isWhole: Bool { total >= 2 * Self.startSeconds }

    /// Takes an acceleration in that frame; returns the mean.
    mutating func take(_ acceleration: Vector3, after interval: Double) -> Vector3 {
        let interval = min(interval, Self.longestSeconds)
        total = min(total + interval, 2 * Self.startSeconds)
        let late = low.take(
            acceleration, LowPass.Step(seconds: interval, timeConstantSeconds: Self.timeConstantSeconds))
        guard let mean = start?.take(acceleration, over: interval) else { return late }
        if total >= Self.startSeconds { start = nil }
        return mean
    }
}

/// The mean of the vectors since a start, which count the less the nearer they are to its beginning or to now.
///
/// The weight is a parabola over the time since the start. A plain mean of accelerations is wrong by the change of the
/// velocity, divided by the time, however they were distributed. By the parabola's weights, velocities count only for
/// their mean, and of motion to and fro nearly nothing is left. Two sums are enough for it, whenever it ends: the weight
/// of a time is its product with what is left until the end.
struct StartingMean {
    private(set) var seconds = 0.0
    private var first = Vector3.zero
    private var second = Vector3.zero
    private var firstWeight = 0.0
    private var secondWeight = 0.0

    /// Takes a vector that stands for the time since the last one; returns the mean.
    mutating func take(_ value: Vector3, over interval: Double) -> Vector3 {
        assert(interval >= 0, "samples come in order of time")
        let middle = seconds + interval / 2
        seconds += interval
        first += value * (middle * interval)
        second += value * (middle * middle * interval)
        firstWeight += middle * interval
        secondWeight += middle * middle * interval
        let weight = seconds * firstWeight - secondWeight
        return weight > 0 ? (first * seconds - second) * (1 / weight) : value
    }
}
