internal import Readings

/// Decides what of a TPV may leave: each value is in its range or unknown.
///
/// libgps takes what it gets. `1e400` becomes an infinite latitude with its flag set, `"mode":99` and a latitude of 4000
/// pass. So every value is looked at here, and only `mode` says what the fix is worth: gpsd leaves `status` at 0 for an
/// ordinary fix. The bounds are those of `PossibleValues`.
enum FixValidation {
    /// gpsd says 99.99 where it could not compute one.
    private static let dilutions = 0.0...99.0

    /// A dilution of precision, if it can be one.
    static func dilution(_ value: Double) -> Double? { value > 0 ? within(dilutions, value) : nil }

    /// All that the report says and that can be true; what the fix allows is decided when its epoch is whole.
    static func location(of report: FixReport) -> Location {
        var location = Location(fix: fix(of: report.mode))
        location.utcMicroseconds = report.time?.utcMicroseconds
        if let latitude = within(PossibleValues.latitudes, report.latitudeDegrees),
            let longitude = within(PossibleValues.longitudes, report.longitudeDegrees)
        {
            location.latitudeDegrees = latitude
            location.longitudeDegrees = longitude
        }
        location.altitudeMeters = within(PossibleValues.heights, report.altitudeMeters)
        location.ellipsoidHeightMeters = within(PossibleValues.heights, report.ellipsoidHeightMeters)
        location.horizontalErrorMeters = horizontalError(of: report)
        location.verticalErrorMeters = within(PossibleValues.errors, report.verticalErrorMeters)
        location.speedMetersPerSecond = within(PossibleValues.speeds, report.speedMetersPerSecond)
        location.trackDegrees = direction(report.trackDegrees)
        location.climbMetersPerSecond = within(PossibleValues.velocities, report.climbMetersPerSecond)
        location.speedErrorMetersPerSecond = within(PossibleValues.speeds, report.speedErrorMetersPerSecond)
        location.trackErrorDegrees = within(PossibleValues.directions, report.trackErrorDegrees)
        location.climbErrorMetersPerSecond = within(PossibleValues.speeds, report.climbErrorMetersPerSecond)
        location.geoidSeparationMeters = within(PossibleValues.geoidSeparations, report.geoidSeparationMeters)
        location.velocityNorthMetersPerSecond = within(PossibleValues.velocities, report.velocityNorthMetersPerSecond)
        location.velocityEastMetersPerSecond = within(PossibleValues.velocities, report.velocityEastMetersPerSecond)
        location.velocityDownMetersPerSecond = within(PossibleValues.velocities, report.velocityDownMetersPerSecond)
        location.ecefVelocityXMetersPerSecond = within(PossibleValues.velocities, report.ecefVelocityXMetersPerSecond)
        location.ecefVelocityYMetersPerSecond = within(PossibleValues.velocities, report.ecefVelocityYMetersPerSecond)
        location.ecefVelocityZMetersPerSecond = within(PossibleValues.velocities, report.ecefVelocityZMetersPerSecond)
        location.timeErrorSeconds = within(PossibleValues.timeErrors, report.timeErrorSeconds)
        location.leapSeconds = PossibleValues.leapSeconds.contains(report.leapSeconds) ? report.leapSeconds : nil
        return location
    }

    /// How many values the report has that cannot be true.
    static func refusals(in report: FixReport) -> Int {
        let checks: [(Double, ClosedRange<Double>)] = [
            (report.latitudeDegrees, PossibleValues.latitudes), (report.longitudeDegrees, PossibleValues.longitudes),
            (report.altitudeMeters, PossibleValues.heights), (report.ellipsoidHeightMeters, PossibleValues.heights),
            (report.horizontalErrorMeters, PossibleValues.errors), (report.verticalErrorMeters, PossibleValues.errors),
            (report.eastErrorMeters, PossibleValues.errors), (report.northErrorMeters, PossibleValues.errors),
            (report.speedMetersPerSecond, PossibleValues.speeds), (report.trackDegrees, PossibleValues.directions),
            (report.climbMetersPerSecond, PossibleValues.velocities),
            (report.speedErrorMetersPerSecond, PossibleValues.speeds),
            (report.trackErrorDegrees, PossibleValues.directions),
            (report.climbErrorMetersPerSecond, PossibleValues.speeds),
            (report.geoidSeparationMeters, PossibleValues.geoidSeparations),
            (report.timeErrorSeconds, PossibleValues.timeErrors),
            (report.velocityNorthMetersPerSecond, PossibleValues.velocities),
            (report.velocityEastMetersPerSecond, PossibleValues.velocities),
            (report.velocityDownMetersPerSecond, PossibleValues.velocities),
            (report.ecefVelocityXMetersPerSecond, PossibleValues.velocities),
            (report.ecefVelocityYMetersPerSecond, PossibleValues.velocities),
            (report.ecefVelocityZMetersPerSecond, PossibleValues.velocities),
        ]
        let values = checks.count { !$0.0.isNaN && within($0.1, $0.0) == nil }
        let hasImpossibleTime = report.time.map { $0.utcMicroseconds == nil } ?? false
        return values + (hasImpossibleTime ? 1 : 0) + ((0...3).contains(report.mode) ? 0 : 1)
    }

    private static func fix(of mode: Int) -> Location.Fix {
        switch mode {
        case 2: .twoDimensional
        case 3: .threeDimensional
        default: .none
        }
    }

    /// gpsd's own estimate, else the two axes together.
    private static func horizontalError(of report: FixReport) -> Double? {
        if let error = within(PossibleValues.errors, report.horizontalErrorMeters) { return error }
        guard let east = within(PossibleValues.errors, report.eastErrorMeters),
            let north = within(PossibleValues.errors, report.northErrorMeters)
        else { return nil }
        return within(PossibleValues.errors, (east * east + north * north).squareRoot())
    }

    /// Degrees clockwise from north; 360 is 0.
    static func direction(_ degrees: Double) -> Double? {
        within(PossibleValues.directions, degrees).map { $0 == 360 ? 0 : $0 }
    }

    /// NaN and the infinities lie in no range.
    static func within(_ range: ClosedRange<Double>, _ value: Double) -> Double? {
        range.contains(value) ? value : nil
    }
}
