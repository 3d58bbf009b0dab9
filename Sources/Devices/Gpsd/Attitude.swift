internal import Glibc
internal import Readings

/// Where the antennas or the vehicle point, and the vector from the other antenna or a reference station: valid values.
///
/// gpsd reports an attitude (ATT) apart from the fix, and two vectors: one with the attitude, from the other antenna, and
/// one with the fix, from the reference station or whatever the receiver calls its base. A heading is only what an attitude
/// has. The direction of the other vector has a field of its own, since nobody turns with it.
struct Attitude: Equatable, Sendable {
    private var heading: Double?
    private var pitch: Double?
    private var roll: Double?
    private let north: Double?
    private let east: Double?
    private let down: Double?
    private var length: Double?
    private var direction: Double?

    /// The check counts values that are not valid.
    init(_ report: AttitudeReport, _ check: inout ValueCheck) {
        self.init(baseline: report.baseline, &check)
        heading = check.direction(report.headingDegrees)
        pitch = check.valid(report.pitchDegrees, PossibleValues.pitches)
        roll = check.valid(report.rollDegrees, PossibleValues.rolls)
    }

    /// What gpsd does not send of the vector's length and direction follows from its parts.
    init(baseline report: BaselineReport, _ check: inout ValueCheck) {
        north = check.valid(report.northMeters, PossibleValues.baselines)
        east = check.valid(report.eastMeters, PossibleValues.baselines)
        down = check.valid(report.downMeters, PossibleValues.baselines)
        length = check.valid(report.lengthMeters, PossibleValues.baselineLengths)
        direction = check.direction(report.headingDegrees)
        guard let north, let east else { return }
        if direction == nil, north != 0 || east != 0 {
            let degrees = atan2(east, north) * 180 / .pi
            direction = check.direction(degrees < 0 ? degrees + 360 : degrees)
        }
        if length == nil, let down { length = (north * north + east * east + down * down).squareRoot() }
    }

    /// Sets what is known; a vector as a whole.
    func put(into location: inout Location) {
        location.headingDegrees = heading ?? location.headingDegrees
        location.pitchDegrees = pitch ?? location.pitchDegrees
        location.rollDegrees = roll ?? location.rollDegrees
        guard north != nil || length != nil else { return }
        location.baselineNorthMeters = north
        location.baselineEastMeters = east
        location.baselineDownMeters = down
        location.baselineLengthMeters = length
        location.baselineHeadingDegrees = direction
    }
}
