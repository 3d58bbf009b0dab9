internal import Formats
internal import Readings

/// A point of a GPX file, filled in element by element.
struct GPXPoint {
    private var read = Location(fix: .twoDimensional)
    private var saysFix: Location.Fix?

    init(_ attributes: [String: String], line: Int) throws(FormatError) {
        read.latitudeDegrees = try Self.degrees("lat", 90, attributes, line)
        read.longitudeDegrees = try Self.degrees("lon", 180, attributes, line)
    }

    /// The location built from the elements so far.
    var location: Location {
        var location = read
        location.fix = saysFix ?? (read.altitudeMeters == nil ? .twoDimensional : .threeDimensional)
        return location
    }

    /// Takes an element at its end.
    mutating func take(_ name: String, _ text: String, line: Int) throws(FormatError) {
        // Programs write an empty element, NaN or -1 for unknown values.
        func number(_ range: ClosedRange<Double>) throws(FormatError) -> Double? {
            if let value = DecimalNumber.value(text) { return range.contains(value) ? value : nil }
            guard DecimalNumber.isUnknown(text) else {
                throw FormatError(line: line, "'\(text.excerpt)' is not a valid <\(name)>; write a decimal number")
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
                line: line, "'\(text.excerpt)' is not a valid '\(name)'; write degrees from \(-most) to \(most)")
        }
        return value
    }

    private static func time(_ text: String, _ line: Int) throws(FormatError) -> Int64 {
        guard let time = CalendarTime.microseconds(text) else {
            throw FormatError(line: line, "'\(text.excerpt)' is not a time; write it like 2026-11-21T12:03:04.5Z")
        }
        return time
    }

    /// `dgps` and `pps` describe the quality of the fix, not its dimensions.
    private static func fix(_ text: String) -> Location.Fix? {
        switch text.lowercased().filter({ !$0.isBlank }) {
        case "none": Location.Fix.noPosition
        case "2d": .twoDimensional
        case "3d": .threeDimensional
        default: nil
        }
    }
}
