internal import Readings

/// Validates a TPV: each value is in its range, or unknown.
///
/// libgps accepts any number. `1e400` becomes an infinite latitude with its flag set; `"mode":99` and a latitude of
/// 4000 pass. So every value is checked here. Only `mode` tells the quality of the fix, since gpsd leaves `status` at 0
/// for an ordinary fix. The bounds are those of `PossibleValues`.
enum FixValidation {
    /// Dilutions of precision that count: gpsd reports 99.99 where it could not compute one.
    private static let dilutions = 0.0...99.0

    /// A valid dilution of precision, or nil.
    static func dilution(_ value: Double) -> Double? { value > 0 ? within(dilutions, value) : nil }

    /// All valid values of the report.
    ///
    /// The limits of the fix are applied when its epoch is complete.
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
        location.status = status(report.status)
        location.correctionAgeSeconds = within(PossibleValues.correctionAges, report.correctionAgeSeconds)
        location.correctionStation =
            PossibleValues.correctionStations.contains(report.correctionStation) ? report.correctionStation : nil
        if report.baseline.isSent { Attitude(baseline: report.baseline).put(into: &location) }
        location.leapSeconds = PossibleValues.leapSeconds.contains(report.leapSeconds) ? report.leapSeconds : nil
        return location
    }

    /// The number of invalid values in the report.
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
        let values =
            checks.count { !$0.0.isNaN && within($0.1, $0.0) == nil }
            + (report.baseline.isSent ? Attitude.refusals(in: report.baseline) : 0)
        let hasImpossibleTime = report.time.map { $0.utcMicroseconds == nil } ?? false
        return values + (hasImpossibleTime ? 1 : 0) + ((0...3).contains(report.mode) ? 0 : 1)
    }

    /// gpsd has these numbers since 3.18; 0 is unknown.
    private static func status(_ number: Int) -> Location.Status? {
        let all: [Location.Status] = [
            .autonomous, .dgps, .rtkFixed, .rtkFloat, .deadReckoning, .gnssDeadReckoning, .timeOnly, .simulated,
            .precise,
        ]
        return (1...all.count).contains(number) ? all[number - 1] : nil
    }

    private static func fix(of mode: Int) -> Location.Fix {
        switch mode {
        case 2: .twoDimensional
        case 3: .threeDimensional
        default: .noPosition
        }
    }

    /// gpsd's own estimate, else one computed from the errors of both axes.
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

    /// NaN and infinities are in no range.
    static func within(_ range: ClosedRange<Double>, _ value: Double) -> Double? {
        range.contains(value) ? value : nil
    }
}

extension FixValidation {
    /// Systems by gpsd's numbers for them, which u-blox defined.
    private static let systems: [Satellite.System] = [.gps, .sbas, .galileo, .beidou, .imes, .qzss, .glonass, .navic]

    /// The valid values of a satellite; nil if its number is invalid.
    ///
    /// If gpsd has no number within the system, it does not know the system either.
    static func satellite(
        prn: Int, systemIndex: Int, systemNumber: Int, isUsed: Bool, elevation: Double, azimuth: Double, signal: Double
    ) -> Satellite? {
        var satellite = Satellite(prn: prn, isUsed: isUsed)
        if systemNumber > 0, systems.indices.contains(systemIndex) {
            satellite.system = systems[systemIndex]
            satellite.systemNumber = systemNumber
        }
        satellite.elevationDegrees = elevation
        satellite.azimuthDegrees = azimuth == 360 ? 0 : azimuth
        satellite.signalDecibelHertz = signal
        return satellite.possible
    }
}

/// The time of a fix as gpsd sent it, which tells epochs apart even if it is not a valid date.
struct FixTime: Equatable, Sendable {
    /// Seconds since 1970.
    var seconds: Int64
    /// Nanoseconds within the second.
    var nanoseconds: Int64

    /// UTC microseconds since 1970, if the time lies in 2000 to 2099.
    ///
    /// Outside of that range the receiver has not found the date yet, or its counter has rolled over: libgps makes the
    /// year 9999 or 1899 of what it cannot read, and a rolled-over GPS week makes 1999 of 2019.
    var utcMicroseconds: Int64? {
        let plausible: Range<Int64> = 946_684_800..<4_102_444_800
        guard plausible.contains(seconds), (0..<1_000_000_000).contains(nanoseconds) else { return nil }
        return seconds * 1_000_000 + nanoseconds / 1000
    }

    /// Whether it is within the first second after June or December, which has the same number as a leap second before it.
    ///
    /// libgps makes 00:00:00 of 23:59:60, and gpsd itself does so with the sentences of a receiver.
    var mayRepeat: Bool {
        guard utcMicroseconds != nil, seconds % 86_400 == 0 else { return false }
        // Until 2099, every fourth year since 2000 is a leap year.
        let day = (seconds / 86_400 - 10_957) % 1_461
        let (dayOfYear, firstOfJuly) = day < 366 ? (day, 182 as Int64) : ((day - 366) % 365, 181)
        return dayOfYear == 0 || dayOfYear == firstOfJuly
    }

    /// Nanoseconds from another time to this one; nil on overflow.
    func nanoseconds(since other: Self) -> Int64? {
        let (difference, tooFar) = seconds.subtractingReportingOverflow(other.seconds)
        let (scaled, tooLarge) = difference.multipliedReportingOverflow(by: 1_000_000_000)
        let (fraction, odd) = nanoseconds.subtractingReportingOverflow(other.nanoseconds)
        let (sum, overflow) = scaled.addingReportingOverflow(fraction)
        return tooFar || tooLarge || odd || overflow ? nil : sum
    }
}
