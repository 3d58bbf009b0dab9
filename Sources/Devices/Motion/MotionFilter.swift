package import SensorValues

/// Attitude, gravity and heading of one device from its rates, accelerations and magnetic fields, which may come at
/// rates of their own, in order of time.
///
/// It has neither a clock nor memory of its own: the same samples yield the same results, and no step allocates.
/// docs/motion.md says what it promises, and why it is built so.
package struct MotionFilter: Sendable, BitwiseCopyable {
    /// A gap in the rates beyond that is a rotation of which nothing is known.
    ///
    /// No filter gets over it: all is wrong by tens of degrees then, for seconds.
    package static let longestGapSeconds = 0.1
    /// Without accelerations for so long, nothing shows what is upright.
    private static let longestSilenceSeconds = 1.0
    /// What changes slowly is not looked at with each rate.
    private static let pauseSeconds = 0.05
    /// Beyond that, nothing is reported of north.
    private static let mostNorthRadians = 20 * .pi / 180.0

    /// The gyroscope's bias, which outlives all gaps.
    package private(set) var bias: GyroscopeBias
    /// How often the attitude began anew, with a heading that has nothing to do with the one before.
    package private(set) var restarts = 0

    private var level: LevelAttitude
    private var compass: Compass
    private let hasCompass: Bool
    private var rest = RestDetector()
    private var gravity = GravityStrength()
    private var rates = SampleClock()
    private var accelerations = SampleClock()
    private var fields = SampleClock()
    private var isInterrupted = false
    private var pause = 0.0

    package init(_ calibration: MotionCalibration = MotionCalibration()) {
        bias = calibration.bias
        level = LevelAttitude(TiltError(accelerometerOffset: calibration.accelerometerOffset))
        compass = Compass(field: calibration.field)
        hasCompass = calibration.magnetometerIsCalibrated
    }

    /// Takes an angular velocity, in radians per second.
    @discardableResult
    package mutating func take(rate: Vector3, at time: BootTime) -> Outcome {
        guard rate.isWithin(Outcome.mostRate) else { return .refused(.impossible) }
        let isFirst = rates.isEmpty
        guard let seconds = rates.advance(to: time) else { return .refused(.notLater) }
        guard !isFirst, !isInterrupted, seconds <= Self.longestGapSeconds else {
            bias.age(seconds: seconds)
            restart(with: rate)
            if isFirst { return .taken }
            restarts += 1
            return .restarted
        }
        rest.take(rate: rate, after: seconds)
        level.take(rate: rate - bias.value, after: seconds)
        pause += seconds
        if pause >= Self.pauseSeconds { takeStock(at: time) }
        return .taken
    }

    /// Takes an acceleration as an accelerometer measures it, in metres per second squared: at rest, it points upwards.
    ///
    /// It is along the device's axes as they were then, or at another time: that of the newest rate, for what came late.
    @discardableResult
    package mutating func take(acceleration: Vector3, at time: BootTime, along axes: BootTime? = nil) -> Outcome {
        guard acceleration.isWithin(Outcome.mostAcceleration) else { return .refused(.impossible) }
        guard let later = secondsLater(axes ?? time) else { return .refused(.noRate) }
        guard let seconds = accelerations.advance(to: time) else { return .refused(.notLater) }
        rest.take(acceleration: acceleration, after: seconds)
        level.take(
            acceleration: acceleration, secondsLater: later, bias: &bias, isAtRest: rest.isAtRest, after: seconds)
        return .taken
    }

    /// Takes a magnetic field, in microtesla.
    ///
    /// It counts only if the magnetometer is calibrated; its axes are as those of an acceleration.
    @discardableResult
    package mutating func take(field: Vector3, at time: BootTime, along axes: BootTime? = nil) -> Outcome {
        guard hasCompass else { return .refused(.uncalibrated) }
        guard field.isWithin(Outcome.mostField) else { return .refused(.impossible) }
        guard let later = secondsLater(axes ?? time) else { return .refused(.noRate) }
        guard let seconds = fields.advance(to: time) else { return .refused(.notLater) }
        rest.take(field: field, after: seconds)
        guard level.isSettled else { return .taken }
        compass.take(
            field, level: level.level(field, secondsLater: later), rate: level.rateAmount,
            tiltError: level.tiltErrorRadians, after: min(seconds, Self.longestSilenceSeconds))
        return .taken
    }

    /// Takes note that rates are missing, for whatever reason: the attitude begins anew with the next one, and the bias
    /// stays.
    package mutating func interrupt() { isInterrupted = true }

    /// By how much a time is later than the newest rate; nil if nothing is known of the rotation in between.
    private func secondsLater(_ time: BootTime) -> Double? {
        guard !isInterrupted, let later = rates.seconds(until: time), abs(later) <= Self.longestGapSeconds else {
            return nil
        }
        return later
    }

    private mutating func restart(with rate: Vector3) {
        level.restart(with: rate - bias.value)
        compass.restart()
        rest = RestDetector()
        accelerations = SampleClock()
        fields = SampleClock()
        isInterrupted = false
        pause = 0
    }

    private mutating func takeStock(at time: BootTime) {
        if let silence = accelerations.seconds(until: time), silence > Self.longestSilenceSeconds { interrupt() }
        bias.age(seconds: pause)
        rest.takeStock(teaching: &bias, after: pause)
        if rest.isAtRest { gravity.take(atRest: rest.means.acceleration) }
        let turn = level.takeStock(bias, isAtRest: rest.isAtRest)
        if hasCompass { compass.take(turn, biasVariance: bias.variance(along: turn.up)) }
        pause = 0
    }
}

extension MotionFilter {
    /// The bias as far as it will hold, for the next run; nil: it is not known so well.
    package var lastingBias: GyroscopeBias? {
        let lasting = rest.biasBefore ?? bias
        return lasting.isSure ? lasting : nil
    }

    /// Whether the vertical is known.
    ///
    /// Before that, there is nothing to report.
    package var isSettled: Bool { level.isSettled && !isInterrupted }

    package var isNorthKnown: Bool { isSettled && headingErrorRadians <= Self.mostNorthRadians }

    /// Whether the magnetic field is not that of the place.
    package var isDisturbed: Bool { hasCompass && compass.isDisturbed }

    /// From the device's axes, at the newest rate, to a frame that does not turn until the next restart.
    package var rotationSinceStart: Quaternion { level.rotation }

    /// Whether the device lies still.
    package var isAtRest: Bool { rest.isAtRest && !isInterrupted }

    /// From the device's axes to a frame whose z axis points upwards, with a heading that began anywhere; nil until
    /// that is known.
    package var attitude: Quaternion? { isSettled ? level.attitude : nil }

    /// From the device's axes to magnetic east, magnetic north and up; nil if that is not known.
    package var rotation: Quaternion? {
        guard isNorthKnown, let radians = compass.radians else { return nil }
        return Quaternion(turningAboutVerticalBy: radians) * level.attitude
    }

    /// What the accelerometer would measure if the device did not move, in metres per second squared; nil until that is
    /// known.
    package var gravityVector: Vector3? { attitude.map { $0.up * gravity.metersPerSecondSquared } }

    /// The newest acceleration without gravity, along the device's axes; nil until that is known.
    package var linearAcceleration: Vector3? {
        isSettled ? level.linearAcceleration(gravity: gravity.metersPerSecondSquared) : nil
    }

    /// How far the vertical may be off: one standard deviation.
    ///
    /// In 95 of 100 cases, the truth is within twice as much.
    package var tiltErrorRadians: Double { level.tiltErrorRadians }

    /// How far north may be off, likewise; half a turn while nothing is known.
    package var headingErrorRadians: Double { hasCompass ? compass.errorRadians : .pi }
}

/// What is known of a device's sensors before the filter begins.
package struct MotionCalibration: Sendable {
    /// The gyroscope's bias, as it was learnt before.
    package var bias = GyroscopeBias()
    /// How far the accelerometer's axes are off, in metres per second squared: one standard deviation.
    ///
    /// Chips that nobody calibrated differ by some hundredths of gravity.
    package var accelerometerOffset = 0.2
    /// Whether the magnetometer shows the field of the place, and not that of the device.
    ///
    /// Else its samples show nothing of north.
    package var magnetometerIsCalibrated = false
    /// The Earth's field where the device is, if that is known.
    package var field: FieldShape?

    package init() {}
}

/// What became of a sample.
package enum Outcome: Equatable, Sendable {
    case taken
    /// The attitude began anew: the heading has nothing to do with the one before.
    case restarted
    /// Nothing became of it.
    case refused(Refusal)

    /// Why nothing became of a sample.
    package enum Refusal: Equatable, Sendable {
        /// No number, or beyond all that a sensor of a device measures.
        case impossible
        /// Not later than the sample before.
        case notLater
        /// No rate was measured within a tenth of a second.
        case noRate
        /// The magnetometer is not calibrated.
        case uncalibrated
    }

    static let mostRate = 1_000.0
    static let mostAcceleration = 100_000.0
    static let mostField = 1_000_000.0
}

/// The times of one sensor's samples: what lies between two of them, in seconds.
struct SampleClock {
    private var newest: Int64?

    /// Whether there has been none.
    var isEmpty: Bool { newest == nil }

    /// How much later a sample is than the one before, 0 for the first one; nil if it is not later.
    mutating func advance(to time: BootTime) -> Double? {
        guard let newest else {
            newest = time.nanoseconds
            return 0
        }
        guard time.nanoseconds > newest else { return nil }
        self.newest = time.nanoseconds
        return Self.seconds(from: newest, to: time.nanoseconds)
    }

    /// By how much a time is later than the newest sample; nil before the first one.
    func seconds(until time: BootTime) -> Double? { newest.map { Self.seconds(from: $0, to: time.nanoseconds) } }

    /// Ages, if no number can hold it.
    private static func seconds(from start: Int64, to end: Int64) -> Double {
        let (nanoseconds, isBeyond) = end.subtractingReportingOverflow(start)
        return isBeyond ? (end < start ? -1e9 : 1e9) : Double(nanoseconds) * 1e-9
    }
}
