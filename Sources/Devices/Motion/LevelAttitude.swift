/// The attitude from rates and accelerations: upright, with a heading that begins anywhere.
///
/// The rates turn it, and the mean acceleration, in a frame that does not turn, keeps it upright.
struct LevelAttitude {
    private var inertial = InertialRotation()
    private var mean = MeanAcceleration()
    /// From the frame that does not turn to the level one.
    private var levelling = Quaternion.identity
    private var motionBias = MotionBias()
    private var error: TiltError
    /// The newest acceleration, and how much later than the newest rate it was measured.
    private var acceleration = Vector3.zero
    private var secondsLater = 0.0

    /// The newest rate's amount, whichever the direction.
    private(set) var rateAmount = 0.0
    /// Whether the vertical is known.
    private(set) var isSettled = false
    private var hasVertical = false
    private var going = Vector3.zero
    private var turn = Turn()

    private static let settledRadians = 5 * .pi / 180.0
    /// Far above the other limit: what is known does not come and go.
    ///
    /// A device that begins to move when it is first looked at seems to rest, and its error grows afterwards.
    private static let lostRadians = 20 * .pi / 180.0
    /// A mean below that is of a device that falls, and has no direction.
    private static let leastAcceleration = 1.0

    /// How far the device turned over a while, of which the gyroscope alone knows.
    struct Turn {
        var seconds = 0.0
        /// In radians, whichever the direction.
        var amount = 0.0
        /// The variance of what happened between samples.
        var unseen = 0.0
        /// The turn that goes on, along the axes of the level frame, in radians per second: of one to and fro, nothing is left.
        var going = Vector3.zero
        /// The vertical, along the device's axes.
        var up = Vector3.zero
    }

    init(_ error: TiltError) { self.error = error }

    /// From the device's axes to a frame that does not turn.
    var rotation: Quaternion { inertial.rotation }
    /// From the device's axes to the level frame.
    var attitude: Quaternion { levelling * inertial.rotation }
    /// The newest rate, without the bias.
    var rate: Vector3 { inertial.rate }
    var tiltErrorRadians: Double { error.radians }

    /// A new start, from a rate.
    ///
    /// What is known of the accelerometer stays.
    mutating func restart(with rate: Vector3) {
        error.restart()
        self = Self(error)
        inertial.begin(with: rate)
    }

    mutating func take(rate: Vector3, after seconds: Double) {
        inertial.take(rate, over: seconds)
        rateAmount = rate.length
        error.take(unseenSquare: inertial.unseenSquare, after: seconds)
        secondsLater -= seconds
        turn.seconds += seconds
        turn.amount += rateAmount * seconds
        turn.unseen += inertial.unseenSquare
    }

    /// Weighs the error, with the bias as it is now; returns what was turned since the last time.
    mutating func takeStock(_ bias: GyroscopeBias, isAtRest: Bool) -> Turn {
        let attitude = attitude
        let towards = attitude.turn(rate)
        going += (towards - going) * min(1, turn.seconds / MeanAcceleration.timeConstantSeconds)
        defer { turn = Turn() }
        turn.going = going
        turn.up = attitude.up
        guard hasVertical else {
            isSettled = false
            return turn
        }
        error.weigh(mean, turn, biasVariance: bias.variance(across: turn.up), isAtRest: isAtRest)
        isSettled = error.radians < (isSettled ? Self.lostRadians : Self.settledRadians)
        return turn
    }

    /// Takes an acceleration that was measured so much later than the newest rate.
    mutating func take(
        acceleration: Vector3, secondsLater: Double, bias: inout GyroscopeBias, isAtRest: Bool, after seconds: Double
    ) {
        self.acceleration = acceleration
        self.secondsLater = secondsLater
        let still = inertial.place(acceleration, secondsLater: secondsLater)
        let wasStarting = mean.isStarting
        let vertical = mean.take(still, after: seconds)
        let length = vertical.length
        hasVertical = length > Self.leastAcceleration
        guard hasVertical, let upright = Quaternion(uprighting: levelling.turn(vertical)) else { return }
        levelling = (upright * levelling).normalized
        let correction = Vector3(x: 2 * upright.x, y: 2 * upright.y, z: 0)
        let sight = TiltError.Sight(
            deviation: still - vertical, length: length, correction: correction, rate: rateAmount)
        error.take(sight, of: mean, after: seconds)
        if !wasStarting, !isAtRest, motionBias.take(correction, after: seconds) {
            motionBias.teach(&bias, attitude: levelling * inertial.rotation)
        }
    }

    /// What the device does beside gravity's pull, along its axes, when the newest acceleration was measured.
    func linearAcceleration(gravity: Double) -> Vector3 {
        let up = attitude.up
        return acceleration - (up - rate.cross(up) * secondsLater) * gravity
    }

    /// Where a vector along the device's axes points in the level frame, measured so much later than the newest rate.
    func level(_ vector: Vector3, secondsLater: Double) -> Vector3 {
        levelling.turn(inertial.place(vector, secondsLater: secondsLater))
    }
}
