/// Whether the device lies still: its rates and accelerations have kept to their means for a while.
struct RestDetector {
    private(set) var isAtRest = false
    /// The means of the last half second, as measured.
    private(set) var meanRate = Vector3.zero
    private(set) var meanAcceleration = Vector3.zero

    private var stillSeconds = 0.0
    private var hasRate = false
    private var hasAcceleration = false

    private static let meanSeconds = 0.5
    private static let neededSeconds = 1.5
    private static let mostRate = 2 * .pi / 180.0
    private static let mostAcceleration = 0.5

    mutating func take(rate: Vector3, bias: GyroscopeBias, after seconds: Double) {
        let apart = rate - meanRate
        meanRate += apart * (hasRate ? min(1, seconds / Self.meanSeconds) : 1)
        hasRate = true
        let isStill =
            apart.lengthSquared < Self.mostRate * Self.mostRate
            && (meanRate - bias.value).isWithin(bias.mostSurprise)
        stillSeconds = isStill ? stillSeconds + seconds : 0
        isAtRest = stillSeconds >= Self.neededSeconds && hasAcceleration
    }

    mutating func take(acceleration: Vector3, after seconds: Double) {
        let apart = acceleration - meanAcceleration
        meanAcceleration += apart * (hasAcceleration ? min(1, seconds / Self.meanSeconds) : 1)
        hasAcceleration = true
        guard apart.lengthSquared > Self.mostAcceleration * Self.mostAcceleration else { return }
        stillSeconds = 0
        isAtRest = false
    }
}
