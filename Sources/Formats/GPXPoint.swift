internal import Readings

/// A point of a GPX file, while its elements come in.
struct GPXPoint {
    private var read = Location(fix: .twoDimensional)
    private var saysFix: Location.Fix?

    init(_ attributes: [String: String], line: Int) throws(FormatError) {
        read.latitudeDegrees = try Self.degrees("lat", 90, attributes, line)
        read.longitudeDegrees = try Self.degrees("lon", 180, attributes, line)
    }

    /// The point, of what has come in.
    var location: Location {
        var location = read
        location.fix = saysFix ?? (read.altitudeMeters == nil ? .twoDimensional : .threeDimensional)
        return location
    }

    /// An element of it ended.
    mutating func take(_ name: String, _ text: String, line: Int) throws(FormatError) {
        // Programs write nothing, NaN or -1 where they do not know.
        func number(_ range: ClosedRange<Double>) throws(FormatError) -> Double? {
            if let value = DecimalNumber.value(text) { return range.contains(value) ? value : nil }
            guard DecimalNumber.isUnknown(text) else {
                throw FormatError(line: line, "'\(text.excerpt)' is no <\(name)>; write a number, with a point")
            }
            return nil
        }
        switch name {
        case "ele": read.altitudeMeters = try number(PossibleValues.heights)
        case "time": if !text.allSatisfy(\.isBlank) { read.utcMicroseconds = try Self.time(text, line) }
        case "speed": read.speedMetersPerSecond = try number(PossibleValues.speeds)
        case "course": read.trackDegrees = try number(PossibleValues.directions)?.truncatingRemainder(dividingBy: 360)
        case "fix": saysFix = Self.fix(text)
        case "sat": read.satellitesUsed = try number(0...1000).flatMap { Int(exactly: $0.rounded()) }
        case "hdop": read.horizontalDilution = try number(PossibleValues.dilutions)
        case "vdop": read.verticalDilution = try number(PossibleValues.dilutions)
        case "pdop": read.positionDilution = try number(PossibleValues.dilutions)
        case "geoidheight": read.geoidSeparationMeters = try number(PossibleValues.geoidSeparations)
        default: break
        }
    }

    private static func degrees(
        _ name: String, _ most: Double, _ attributes: [String: String], _ line: Int
    ) throws(FormatError) -> Double {
        guard let text = attributes[name] else { throw FormatError(line: line, "a point without '\(name)'") }
        guard let value = DecimalNumber.value(text, in: -most...most) else {
            throw FormatError(
                line: line, "'\(text.excerpt)' is no '\(name)'; write degrees from \(-most) to \(most)")
        }
        return value
    }

    private static func time(_ text: String, _ line: Int) throws(FormatError) -> Int64 {
        guard let time = CalendarTime.microseconds(text) else {
            throw FormatError(line: line, "'\(text.excerpt)' is no time; write it like 2026-11-21T12:03:04.5Z")
        }
        return time
    }

    /// `dgps` and `pps` say how good it is, not in how many dimensions.
    private static func fix(_ text: String) -> Location.Fix? {
        switch text.lowercased().filter({ !$0.isBlank }) {
        case "none": Location.Fix.none
        case "2d": .twoDimensional
        case "3d": .threeDimensional
        default: nil
        }
    }
}
