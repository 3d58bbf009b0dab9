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
