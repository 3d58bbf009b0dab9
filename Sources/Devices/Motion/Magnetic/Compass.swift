/// North from a calibrated magnetometer: which fields are trusted, and how much.
struct Compass {
    private var judge: FieldJudge
    private var heading = NorthOffset()
    /// The horizontal field, in microtesla: what a disturbance has to turn.
    private var horizontal = 1.0
    /// By how much a vertical that is off turns the heading.
    private var tilted = 0.0

    /// A calibrated magnetometer's own error, with its noise and its lack of orthogonality.
    private static let ownRadians = 3 * .pi / 180.0
    /// How much later a magnetometer measures than its time stamp: half of the time that it takes.
    static let lateSeconds = 0.01
    /// For how long the errors of a vertical that is off last.
    private static let tiltSeconds = 3.0
    private static let ownSeconds = 1.0
    /// What remains of the calibration's error in the heading, which is the mean of several attitudes.
    private static let partOfCalibration = 0.5
    /// How far a field may point beside north that has not yet been seen to hold while the device turns.
    private static let unprovenRadians = 8 * .pi / 180.0
    private static let partOfUnproven = 0.5
    /// Errors of a gyroscope's scale: of a turn that goes on, and of turns to and fro, as a variance for each radian.
    private static let partOfTurn = 0.005
    private static let varianceOfRadian = 2.4e-5

    init(field: FieldShape?) { judge = FieldJudge(given: field) }

    /// A new frame, in the same field.
    mutating func restart() {
        heading = NorthOffset()
    }

    /// What turns the level frame into the one of east and north; nil before the first field.
    var radians: Double? { heading.radians }
    var isDisturbed: Bool { judge.isDisturbed }

    /// One standard deviation of the heading, in radians; half a turn while nothing is known.
    var errorRadians: Double {
        guard heading.radians != nil else { return .pi }
        let left = judge.leftByCalibration / horizontal
        var square =
            heading.variance + tilted * tilted + Self.partOfCalibration * Self.partOfCalibration * left * left
        if judge.isUnproven {
            let doubt = max(Self.unprovenRadians, Self.partOfUnproven * judge.suspicion / horizontal)
            square += doubt * doubt
        }
        return min(.pi, square.squareRoot())
    }

    /// What a turn leaves uncertain that only the gyroscope saw; the bias's variance is that about the vertical.
    mutating func take(_ turn: LevelAttitude.Turn, biasVariance: Double) {
        guard heading.radians != nil else { return }
        let going = abs(turn.going.z)
        heading.drift(radiansPerSecond: biasVariance.squareRoot() + Self.partOfTurn * going, after: turn.seconds)
        heading.blur(variance: turn.unseen + Self.varianceOfRadian * turn.amount)
    }

    /// Takes a field, along the device's axes and in the level frame.
    mutating func take(_ seen: Vector3, level: Vector3, rate: Double, tiltError: Double, after seconds: Double) {
        let field = FieldShape(level: level)
        judge.take(field, along: seen, rateRadiansPerSecond: rate, after: seconds)
        horizontal = max(1, judge.reference?.horizontal ?? field.horizontal)
        guard !judge.isDisturbed else { return }
        let late = rate * Self.lateSeconds
        let disturbed = judge.deviation / horizontal
        tilted = tiltError * field.downward / horizontal
        let own = Self.ownRadians * Self.ownRadians + late * late + disturbed * disturbed
        heading.take(
            seen: arctangent(level.x, level.y), variance: own + tilted * tilted,
            noise: own * Self.ownSeconds + tilted * tilted * Self.tiltSeconds, after: seconds)
    }
}
