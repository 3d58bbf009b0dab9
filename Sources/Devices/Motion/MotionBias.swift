/// What the corrections of the tilt show of the gyroscope's bias while the device moves.
///
/// A bias makes the frame turn that should not, and the tilt is corrected against it, at its rate, later by the delay
/// of the mean acceleration. So the corrections, divided by their time, are the bias's horizontal part as it was so
/// much before: that is compared with the attitude and the bias of then, by the same low pass.
struct MotionBias {
    private var seconds = 0.0
    private var corrections = Vector3.zero
    private var easts = LowPass()
    private var norths = LowPass()
    private var removals = LowPass()

    /// Shorter intervals are not looked at one by one: nothing of it changes so fast.
    private static let pauseSeconds = 0.05
    /// True accelerations correct the tilt as well, to and fro: (1 °/s)² over a second.
    private static let noise = (.pi / 180.0) * (.pi / 180.0)
    /// Corrections that differ more are no bias's.
    private static let mostRadiansPerSecond = 2 * .pi / 180.0

    /// Takes a correction; returns whether there are enough to learn from.
    mutating func take(_ correction: Vector3, after interval: Double) -> Bool {
        seconds += interval
        corrections += correction
        return seconds >= Self.pauseSeconds
    }

    /// Learns from the corrections since the last time.
    mutating func teach(_ bias: inout GyroscopeBias, attitude: Quaternion) {
        assert(seconds > 0, "corrections took some time")
        let rows = attitude.rows
        let removed = Vector3(x: rows.east.dot(bias.value), y: rows.north.dot(bias.value), z: 0)
        let step = LowPass.Step(seconds: seconds, timeConstantSeconds: MeanAcceleration.timeConstantSeconds)
        let east = easts.take(rows.east, step)
        let north = norths.take(rows.north, step)
        let before = removals.take(removed, step)
        let variance = Self.noise / seconds
        observe(before.x - corrections.x / seconds, along: east, variance, &bias)
        observe(before.y - corrections.y / seconds, along: north, variance, &bias)
        seconds = 0
        corrections = .zero
    }

    private func observe(_ observed: Double, along direction: Vector3, _ variance: Double, _ bias: inout GyroscopeBias)
    {
        let known = direction.dot(bias.value)
        let most = Self.mostRadiansPerSecond
        bias.observe(known + max(-most, min(most, observed - known)), along: direction, variance: variance)
    }
}
