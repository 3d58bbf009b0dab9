internal import Readings

/// Decides what of a TPV may leave: each value is in its range or unknown.
///
/// libgps takes what it gets. `1e400` becomes an infinite latitude with its flag set, `"mode":99` and a latitude of 4000
/// pass. So every value is looked at here, and only `mode` says what the fix is worth: gpsd leaves `status` at 0 for an
/// ordinary fix. The bounds are generous; they are to catch nonsense, not to judge receivers.
enum FixValidation {
    /// From below the deepest sea to above the orbit of balloons and sounding rockets.
    static let heights = -20_000.0...100_000.0
    /// Up to a low orbit, and something.
    static let speeds = 0.0...10_000.0
    /// Along one axis.
    static let velocities = -10_000.0...10_000.0
    /// A larger error than half the way round the Earth says nothing.
    static let errors = 0.0...20_000_000.0

    static let geoidSeparations = -200.0...200.0
    /// A day.
    static let timeErrors = 0.0...86_400.0
    /// There are 18; 0 is none.
    static let leapSeconds = 1...99
    /// gpsd says 99.99 where it could not compute one.
    static let dilutions = 0.0...99.0

    /// A dilution of precision, if it can be one.
    static func dilution(_ value: Double) -> Double? { value > 0 ? within(dilutions, value) : nil }

    /// All that the report says and that can be true; what the fix allows is decided when its epoch is whole.
    static func location(of report: FixReport) -> Location {
        var location = Location(fix: fix(of: report.mode))
        location.utcMicroseconds = report.time?.utcMicroseconds
        if let latitude = within(-90...90, report.latitudeDegrees),
            let longitude = within(-180...180, report.longitudeDegrees)
        {
            location.latitudeDegrees = latitude
            location.longitudeDegrees = longitude
        }
        location.altitudeMeters = within(heights, report.altitudeMeters)
        location.ellipsoidHeightMeters = within(heights, report.ellipsoidHeightMeters)
        location.horizontalErrorMeters = horizontalError(of: report)
        location.verticalErrorMeters = within(errors, report.verticalErrorMeters)
        location.speedMetersPerSecond = within(speeds, report.speedMetersPerSecond)
        location.trackDegrees = direction(report.trackDegrees)
        location.climbMetersPerSecond = within(velocities, report.climbMetersPerSecond)
        location.speedErrorMetersPerSecond = within(speeds, report.speedErrorMetersPerSecond)
        location.trackErrorDegrees = within(0...360, report.trackErrorDegrees)
        location.climbErrorMetersPerSecond = within(speeds, report.climbErrorMetersPerSecond)
        location.geoidSeparationMeters = within(geoidSeparations, report.geoidSeparationMeters)
        location.velocityNorthMetersPerSecond = within(velocities, report.velocityNorthMetersPerSecond)
        location.velocityEastMetersPerSecond = within(velocities, report.velocityEastMetersPerSecond)
        location.velocityDownMetersPerSecond = within(velocities, report.velocityDownMetersPerSecond)
        location.ecefVelocityXMetersPerSecond = within(velocities, report.ecefVelocityXMetersPerSecond)
        location.ecefVelocityYMetersPerSecond = within(velocities, report.ecefVelocityYMetersPerSecond)
        location.ecefVelocityZMetersPerSecond = within(velocities, report.ecefVelocityZMetersPerSecond)
        location.timeErrorSeconds = within(timeErrors, report.timeErrorSeconds)
        location.leapSeconds = leapSeconds.contains(report.leapSeconds) ? report.leapSeconds : nil
        return location
    }

    /// How many values the report has that cannot be true.
    static func refusals(in report: FixReport) -> Int {
        let checks: [(Double, ClosedRange<Double>)] = [
            (report.latitudeDegrees, -90...90), (report.longitudeDegrees, -180...180),
            (report.altitudeMeters, heights), (report.ellipsoidHeightMeters, heights),
            (report.horizontalErrorMeters, errors), (report.verticalErrorMeters, errors),
            (report.eastErrorMeters, errors), (report.northErrorMeters, errors),
            (report.speedMetersPerSecond, speeds), (report.trackDegrees, 0...360),
            (report.climbMetersPerSecond, velocities), (report.speedErrorMetersPerSecond, speeds),
            (report.trackErrorDegrees, 0...360), (report.climbErrorMetersPerSecond, speeds),
            (report.geoidSeparationMeters, geoidSeparations), (report.timeErrorSeconds, timeErrors),
            (report.velocityNorthMetersPerSecond, velocities), (report.velocityEastMetersPerSecond, velocities),
            (report.velocityDownMetersPerSecond, velocities), (report.ecefVelocityXMetersPerSecond, velocities),
            (report.ecefVelocityYMetersPerSecond, velocities), (report.ecefVelocityZMetersPerSecond, velocities),
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
        if let error = within(errors, report.horizontalErrorMeters) { return error }
        guard let east = within(errors, report.eastErrorMeters), let north = within(errors, report.northErrorMeters)
        else { return nil }
        return within(errors, (east * east + north * north).squareRoot())
    }

    /// Degrees clockwise from north; 360 is 0.
    static func direction(_ degrees: Double) -> Double? { within(0...360, degrees).map { $0 == 360 ? 0 : $0 } }

    /// NaN and the infinities lie in no range.
    static func within(_ range: ClosedRange<Double>, _ value: Double) -> Double? {
        range.contains(value) ? value : nil
    }
}
