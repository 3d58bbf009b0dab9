internal import Glibc
internal import Readings

/// Where the antennas or the vehicle point, and the vector from the other antenna or a reference station: valid values.
///
/// gpsd reports an attitude (ATT) apart from the fix, and two vectors: one with the attitude, from the other antenna, and
/// one with the fix, from the reference station or whatever the receiver calls its base. A heading is only what an attitude
/// says. The direction of the other vector has a field of its own, since nobody turns with it.
struct Attitude: Equatable, Sendable {
    private var heading: Double?
    private var pitch: Double?
    private var roll: Double?
    private let north: Double?
    private let east: Double?
    private let down: Double?
    private var length: Double?
    private var direction: Double?

    init(_ report: AttitudeReport) {
        self.init(baseline: report.baseline)
        heading = FixValidation.direction(report.headingDegrees)
        pitch = FixValidation.within(PossibleValues.pitches, report.pitchDegrees)
        roll = FixValidation.within(PossibleValues.rolls, report.rollDegrees)
    }

    /// What gpsd does not say of the vector's length and direction follows from its parts.
    init(baseline report: BaselineReport) {
        north = FixValidation.within(PossibleValues.baselines, report.northMeters)
        east = FixValidation.within(PossibleValues.baselines, report.eastMeters)
        down = FixValidation.within(PossibleValues.baselines, report.downMeters)
        length = FixValidation.within(PossibleValues.baselineLengths, report.lengthMeters)
        direction = FixValidation.direction(report.headingDegrees)
        guard let north, let east else { return }
        if direction == nil, north != 0 || east != 0 {
            let degrees = atan2(east, north) * 180 / .pi
            direction = FixValidation.direction(degrees < 0 ? degrees + 360 : degrees)
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

    /// The number of invalid values in a report.
    static func refusals(in report: AttitudeReport) -> Int {
        count([
            (report.headingDegrees, PossibleValues.directions), (report.pitchDegrees, PossibleValues.pitches),
            (report.rollDegrees, PossibleValues.rolls),
        ]) + refusals(in: report.baseline)
    }

    /// The same of a vector.
    static func refusals(in report: BaselineReport) -> Int {
        count([
            (report.northMeters, PossibleValues.baselines), (report.eastMeters, PossibleValues.baselines),
            (report.downMeters, PossibleValues.baselines), (report.lengthMeters, PossibleValues.baselineLengths),
            (report.headingDegrees, PossibleValues.directions),
        ])
    }

    private static func count(_ checks: [(Double, ClosedRange<Double>)]) -> Int {
        checks.count { !$0.0.isNaN && FixValidation.within($0.1, $0.0) == nil }
    }
}
