internal import Readings

/// Validates a TPV: each value is in its range, or unknown.
///
/// libgps accepts any number. `1e400` becomes an infinite latitude with its flag set; `"mode":99` and a latitude of
/// 4000 pass. So every value is checked here. Only `mode` shows whether there is a fix, since gpsd leaves `status` at 0
/// for an ordinary one. The bounds are those of `PossibleValues`.
enum FixValidation {
    /// Dilutions of precision that count: gpsd reports 99.99 where it could not compute one.
    private static let dilutions = 0.0...99.0

    /// A valid dilution of precision, or nil.
    static func dilution(_ value: Double) -> Double? { value > 0 ? within(dilutions, value) : nil }

    /// All valid values of the report; the check counts the others.
    ///
    /// The limits of the fix are applied when its epoch is complete.
    static func location(of report: FixReport, _ check: inout ValueCheck) -> Location {
        var location = report.location
        if location.trackDegrees == 360 { location.trackDegrees = 0 }
        check.refuse(location.refuseImpossible())
        location.fix = fix(of: report.mode, &check)
        if let time = report.time {
            location.utcMicroseconds = time.utcMicroseconds
            if location.utcMicroseconds == nil { check.refuse() }
        }
        let axesError = errorOfAxes(of: report, &check)
        location.horizontalErrorMeters = location.horizontalErrorMeters ?? axesError
        if report.baseline.isSent { Attitude(baseline: report.baseline, &check).put(into: &location) }
        return location
    }

    /// gpsd has these numbers since 3.18; 0 is unknown.
    static func status(_ number: Int) -> Location.Status? {
        let all: [Location.Status] = [
            .autonomous, .dgps, .rtkFixed, .rtkFloat, .deadReckoning, .gnssDeadReckoning, .timeOnly, .simulated,
            .precise,
        ]
        return (1...all.count).contains(number) ? all[number - 1] : nil
    }

    private static func fix(of mode: Int, _ check: inout ValueCheck) -> Location.Fix {
        switch mode {
        case 0, 1: return .noPosition
        case 2: return .twoDimensional
        case 3: return .threeDimensional
        default:
            check.refuse()
            return .noPosition
        }
    }

    /// What gpsd's own estimate of the horizontal error would be, from the errors along both axes.
    private static func errorOfAxes(of report: FixReport, _ check: inout ValueCheck) -> Double? {
        let east = check.valid(report.eastErrorMeters ?? .nan, PossibleValues.errors)
        let north = check.valid(report.northErrorMeters ?? .nan, PossibleValues.errors)
        guard let east, let north else { return nil }
        return within(PossibleValues.errors, (east * east + north * north).squareRoot())
    }

    /// NaN and infinities are in no range.
    static func within<Value>(_ range: ClosedRange<Value>, _ value: Value) -> Value? {
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

/// The time of a fix as gpsd sent it, which distinguishes epochs even if it is not a valid date.
struct FixTime: Equatable, Sendable {
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

/// Lets the valid values of a report through, and counts the others; NaN is unknown, and neither.
struct ValueCheck {
    /// How many values were not valid.
    private(set) var refused = 0

    /// Something of the report is not valid.
    mutating func refuse(_ count: Int = 1) { refused += count }

    mutating func valid(_ value: Double, _ range: ClosedRange<Double>) -> Double? {
        if range.contains(value) { return value }
        if !value.isNaN { refuse() }
        return nil
    }

    /// Degrees clockwise from north, if they are valid; 360 is 0.
    mutating func direction(_ degrees: Double) -> Double? {
        valid(degrees, PossibleValues.directions).map { $0 == 360 ? 0 : $0 }
    }
}
