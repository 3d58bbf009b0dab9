/// Judges whether the magnetic field is the Earth's, by the field itself: its horizontal and its downward part against
/// a reference.
///
/// The reference is given where the place is known. Else it is the first one seen, until another has held while the
/// device turned: a magnet that turns with the device, or one that it is carried past, does not hold.
struct FieldJudge {
    private(set) var reference: FieldShape?
    /// Whether nothing has shown yet that the reference is the field of the place.
    private(set) var isUnproven: Bool

    private let isGiven: Bool
    private var distance = FieldDistance()
    private var residual = LearntSquare(expecting: 1.5, afterTurning: 30)
    private var candidate: FieldCandidate?
    private var turnedRadians = 0.0
    private var hasChangedAtRest = false

    private static let firstSeconds = 5.0
    private static let changedSeconds = 20.0
    private static let meanSeconds = 5.0
    private static let wanderSeconds = 60.0
    private static let stillRadiansPerSecond = 3 * .pi / 180.0
    private static let unturnedRadians = 10 * .pi / 180.0

    init(given: FieldShape?) {
        reference = given
        isGiven = given != nil
        isUnproven = given == nil
    }

    /// How far the field has lately been from its reference, in microtesla.
    var deviation: Double { distance.microtesla }

    /// Whether the field is so far from the reference that it shows nothing of north.
    var isDisturbed: Bool { !distance.isTolerable }

    /// How wrong the reference itself may be, in microtesla, as long as it is unproven: a magnet that was there from
    /// the start shows as soon as the device turns.
    ///
    /// One that came while the device lay still was not.
    private(set) var suspicion = 0.0

    /// How far the field of the place is from itself while the device turns, in microtesla: what the calibration left.
    var leftByCalibration: Double { residual.root }

    /// Takes a field, with its direction along the device's axes.
    mutating func take(
        _ field: FieldShape, along direction: Vector3, rateRadiansPerSecond rate: Double, after seconds: Double
    ) {
        guard let reference else {
            self.reference = field
            candidate = FieldCandidate(field)
            return
        }
        distance.take(field, from: reference, rateRadiansPerSecond: rate, after: seconds)
        if rate > Self.stillRadiansPerSecond { turnedRadians += rate * seconds }
        if isDisturbed {
            hasChangedAtRest = hasChangedAtRest || turnedRadians < Self.unturnedRadians
        } else {
            residual.take(deviation * deviation, turned: rate * seconds)
        }
        if !hasChangedAtRest { suspicion = max(suspicion, deviation) }
        guard !isGiven else { return }
        if !isDisturbed {
            let slow = isUnproven ? Self.meanSeconds : Self.wanderSeconds
            self.reference?.approach(field, by: min(1, seconds / slow))
        }
        if isUnproven || isDisturbed {
            learn(field, direction, rate, after: seconds)
        } else {
            candidate = nil
        }
    }

    /// A field that holds while the device turns is the one of the place.
    private mutating func learn(_ field: FieldShape, _ direction: Vector3, _ rate: Double, after seconds: Double) {
        guard let held = candidate?.take(field, along: direction, rate, after: seconds) else {
            candidate = FieldCandidate(field)
            return
        }
        if isUnproven, held > Self.firstSeconds {
            reference = candidate?.field
            isUnproven = false
        } else if isDisturbed, held > Self.changedSeconds {
            reference = candidate?.field
        }
    }
}

/// A field that may be the one of the place: it holds although the device turns, and looks in many directions.
private struct FieldCandidate {
    private(set) var field: FieldShape

    private var distance = FieldDistance()
    private var directions = Vector3.zero
    private var turningSeconds = 0.0
    private static let meanSeconds = 5.0
    private static let turningRadiansPerSecond = 20 * .pi / 180.0
    /// The length of the mean direction, which is 1 for a single one: here they are some 40° apart from it.
    private static let mostAlike = 0.75

    init(_ field: FieldShape) { self.field = field }

    /// For how long it has held while the device turned; nil if it holds no longer.
    mutating func take(
        _ newest: FieldShape, along direction: Vector3, _ rate: Double, after seconds: Double
    ) -> Double? {
        distance.take(newest, from: field, rateRadiansPerSecond: rate, after: seconds)
        guard distance.isTolerable else { return nil }
        field.approach(newest, by: min(1, seconds / Self.meanSeconds))
        let length = direction.length
        guard rate > Self.turningRadiansPerSecond, length > 0 else { return 0 }
        turningSeconds += seconds
        directions += direction * (seconds / length)
        return directions.length < Self.mostAlike * turningSeconds ? turningSeconds : 0
    }
}

/// How far fields have lately been from one: soon noticed, slowly forgotten.
private struct FieldDistance {
    private(set) var microtesla = 0.0
    /// Whether the field still shows where north is.
    private(set) var isTolerable = true
    private var isFirst = true

    /// In parts of the strength: a compass in such a field points 15° beside north, where the field is steep.
    private static let tolerance = 0.1
    private static let noticingSeconds = 0.2
    private static let forgettingSeconds = 2.0

    mutating func take(
        _ field: FieldShape, from other: FieldShape, rateRadiansPerSecond rate: Double, after seconds: Double
    ) {
        let strength = other.strength
        // What a magnetometer that is late shows in a fast turn is no disturbance.
        let late = Compass.lateSeconds * rate * strength
        let now = max(0, field.distanceSquared(to: other) - late * late).squareRoot()
        let time = now > microtesla ? Self.noticingSeconds : Self.forgettingSeconds
        microtesla += (now - microtesla) * (isFirst ? 1 : min(1, seconds / time))
        isFirst = false
        isTolerable = microtesla <= Self.tolerance * strength
    }
}
