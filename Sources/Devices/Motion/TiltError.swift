/// How far the vertical may be off: one standard deviation, in radians, of what the filter can see of its own errors.
///
/// Each part is what one cause leaves: accelerations that the mean has not yet averaged away, those that it never will,
/// the gyroscope's errors while the mean is on its way, and what is wrong with the accelerometer itself.
struct TiltError {
    /// Half a turn before anything is known.
    private(set) var radians = Double.pi

    private var offset: LearntSquare
    private var restlessness = Restlessness()
    private var wandering = Wandering()
    private var startingSquare = 0.0
    private var unseenSquare = 0.0
    private var length = 0.0

    private static let seconds = MeanAcceleration.timeConstantSeconds
    /// What a mean over a second leaves of true accelerations; of one over a longer time, less by its power of 1.5.
    private static let leftAfterOneSecond = 0.3
    /// What is wrong with a gyroscope's scale and axes, in a turn that goes on.
    private static let partOfTurn = 0.004

    /// What an acceleration shows.
    struct Sight {
        /// How far it is from the mean.
        let deviation: Vector3
        /// How long the mean is.
        let length: Double
        /// By what the mean turned the vertical.
        let correction: Vector3
        let rate: Double
    }

    /// The accelerometer's offset is along each axis, one standard deviation.
    init(accelerometerOffset metersPerSecondSquared: Double) {
        offset = LearntSquare(expecting: metersPerSecondSquared, afterTurning: 30)
    }

    /// Forgets all but the accelerometer.
    mutating func restart() {
        let offset = offset
        self = Self(accelerometerOffset: 0)
        self.offset = offset
    }

    mutating func take(unseenSquare square: Double, after seconds: Double) {
        unseenSquare += square - unseenSquare * min(1, seconds / Self.seconds)
    }

    mutating func take(_ sight: Sight, of mean: MeanAcceleration, after seconds: Double) {
        length = sight.length
        if mean.isStarting {
            restlessness.take(sight, after: seconds)
            wandering.take(sight.correction, over: mean.seconds / 2, after: seconds)
        } else {
            wandering.take(sight.correction, over: Self.seconds, after: seconds)
        }
    }

    /// Weighs all parts, after a while in which the device turned, and while the bias that turns the vertical is so
    /// uncertain.
    mutating func weigh(
        _ mean: MeanAcceleration, _ turn: LevelAttitude.Turn, biasVariance: Double, isAtRest: Bool
    ) {
        if mean.isStarting {
            let left = min(1, Self.leftAfterOneSecond / (mean.seconds * mean.seconds.squareRoot()))
            let error = left * restlessness.metersPerSecondSquared / GravityStrength.standard
            startingSquare = error * error
        } else {
            startingSquare -= startingSquare * min(1, turn.seconds / Self.seconds)
        }
        let excess = abs(length - GravityStrength.standard)
        if mean.isWhole { offset.take(excess * excess, turned: turn.amount) }
        let lasting = isAtRest ? 0 : lasting(excess, mean)
        radians = min(.pi, (square(mean.seconds, turn, biasVariance) + lasting).squareRoot())
    }

    private func square(_ meanSeconds: Double, _ turn: LevelAttitude.Turn, _ biasVariance: Double) -> Double {
        let late = min(meanSeconds / 2, Self.seconds)
        let skewed = turn.going.lengthSquared * Self.partOfTurn * Self.partOfTurn
        let askew = offset.root / GravityStrength.standard
        return 2 * askew * askew + startingSquare + wandering.square + unseenSquare
            + (biasVariance + skewed) * late * late
    }

    /// The square of the tilt by which an acceleration that lasts makes the mean as long as it is: a long curve, say.
    ///
    /// At rest there is none.
    private func lasting(_ excess: Double, _ mean: MeanAcceleration) -> Double {
        guard mean.isStarting || mean.isWhole else { return 0 }
        let own = offset.root * (mean.isStarting ? 1 : 3)
        return 2 * max(0, excess - own) / GravityStrength.standard
    }
}

/// How strongly the device has been accelerated since a start.
///
/// The first moment shows little of it: what is to be expected of its motion counts for half a second.
private struct Restlessness {
    private var square = 0.0
    private var seconds = 0.0
    private var expected = 0.0
    private static let expectedSeconds = 0.5

    var metersPerSecondSquared: Double {
        ((square + expected * expected * Self.expectedSeconds) / (seconds + Self.expectedSeconds)).squareRoot()
    }

    mutating func take(_ sight: TiltError.Sight, after interval: Double) {
        seconds += interval
        square += sight.deviation.lengthSquared * interval
        // A hand turns its device by a radian per second where it accelerates it by some metres per second squared.
        expected = sight.rate + abs(sight.length - GravityStrength.standard)
    }
}

/// How far the vertical has lately been moved by its corrections: as far as it was moved, it may still be off.
private struct Wandering {
    private(set) var square = 0.0

    private var moved = Vector3.zero

    mutating func take(_ correction: Vector3, over time: Double, after seconds: Double) {
        guard seconds > 0, time > 0 else { return }
        moved = moved * (1 - min(1, seconds / time)) + correction
        square += (moved.lengthSquared - square) * min(1, 2 * seconds / time)
    }
}
