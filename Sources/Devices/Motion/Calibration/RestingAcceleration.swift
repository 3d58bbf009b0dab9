/// What an accelerometer shows each time that the device is put down: means of a second at rest.
struct RestingAcceleration: Sendable {
    private var began: Double?
    private var count = 0.0
    private var mean = Vector3.zero

    private static let neededSeconds = 1.0
    private static let leastCount = 8.0
    /// In metres per second squared; what is further from the mean is a motion.
    private static let motion = 0.5

    /// Takes an acceleration at a time in seconds; returns the mean of a rest that is long enough, again and again while it goes on.
    mutating func take(_ acceleration: Vector3, at seconds: Double) -> Vector3? {
        guard acceleration.isWithin(Outcome.mostAcceleration) else { return nil }
        guard let began, (acceleration - mean).length < Self.motion else {
            began = seconds
            count = 1
            mean = acceleration
            return nil
        }
        count += 1
        mean += (acceleration - mean) * (1 / count)
        return seconds - began >= Self.neededSeconds && count >= Self.leastCount ? mean : nil
    }
}
