internal import Formats
internal import Readings

/// A point of a GPX file, filled in element by element.
struct GPXPoint {
    /// Where an element of a point stands.
    enum Place {
        /// The element is a child of the point.
        case own
        /// The element is somewhere in the point's extensions.
        case inExtension
    }

    /// The first thing that is wrong with it.
    private(set) var fault: FormatError?
    /// Values that are no numbers, by the names of their elements.
    private(set) var badValues: [String] = []
    private var read = Location(fix: .twoDimensional)
    private var statedFix: Location.Fix?

    init(_ attributes: [String: String], line: Int) {
        read.latitudeDegrees = degrees("lat", 90, attributes, line)
        read.longitudeDegrees = degrees("lon", 180, attributes, line)
    }

    /// The location built from the elements so far.
    var location: Location {
        var location = read
        location.fix = statedFix ?? (read.altitudeMeters == nil ? .twoDimensional : .threeDimensional)
        return location
    }

    /// Takes an element at its end.
    ///
    /// Of the extensions only motion counts, which GPX 1.1 has no elements for, and the dilution that some loggers put there: a `time` of
    /// an extension is that of a photo, say.
    mutating func take(_ name: String, _ text: String, _ place: Place, line: Int) {
        // Programs write an empty element, NaN or -1 for unknown values.
        func number(_ range: ClosedRange<Double>) -> Double? { DecimalNumber.value(text, in: range) }
        switch (name, place) {
        case ("speed", _): put(number(PossibleValues.speeds), into: \.speedMetersPerSecond, place)
        case ("course", _), ("bearing", .inExtension):
            put(number(PossibleValues.directions)?.truncatingRemainder(dividingBy: 360), into: \.trackDegrees, place)
        case ("hdop", _): put(number(PossibleValues.dilutions), into: \.horizontalDilution, place)
        case ("ele", .own): read.altitudeMeters = number(PossibleValues.heights)
        case ("time", .own): takeTime(text, line)
        case ("fix", .own): (statedFix, read.status) = Self.fix(text)
        case ("sat", .own):
            read.satellitesUsed = Self.integer(text, PossibleValues.satelliteCounts)
        case ("ageofdgpsdata", .own): read.correctionAgeSeconds = number(PossibleValues.correctionAges)
        case ("dgpsid", .own): read.correctionStation = Self.integer(text, PossibleValues.correctionStations)
        case ("vdop", .own): read.verticalDilution = number(PossibleValues.dilutions)
        case ("pdop", .own): read.positionDilution = number(PossibleValues.dilutions)
        case ("geoidheight", .own): read.geoidSeparationMeters = number(PossibleValues.geoidSeparations)
        default: return
        }
        let isNumber = !["time", "fix"].contains(name)
        if place == .own, isNumber, DecimalNumber.value(text) == nil, !DecimalNumber.isUnknown(text) {
            badValues.append(name)
        }
    }

    /// An element of the point itself has priority over one of its extensions.
    private mutating func put(_ value: Double?, into field: WritableKeyPath<Location, Double?>, _ place: Place) {
        if place == .own || read[keyPath: field] == nil { read[keyPath: field] = value ?? read[keyPath: field] }
    }

    private mutating func takeTime(_ text: String, _ line: Int) {
        guard !text.allSatisfy(\.isBlank) else { return }
        read.utcMicroseconds = CalendarTime.microseconds(text).flatMap { CalendarTime.possible($0) }
        guard read.utcMicroseconds == nil else { return }
        refuse(line, "'\(text.excerpt)' is not a time; write it like 2026-11-21T12:03:04.5Z")
    }

    private mutating func degrees(
        _ name: String, _ most: Double, _ attributes: [String: String], _ line: Int
    ) -> Double? {
        guard let text = attributes[name] else {
            refuse(line, "a point without '\(name)'")
            return nil
        }
        guard let value = DecimalNumber.value(text, in: -most...most) else {
            refuse(line, "'\(text.excerpt)' is not a valid '\(name)'; write degrees from \(-most) to \(most)")
            return nil
        }
        return value
    }

    private mutating func refuse(_ line: Int, _ words: String) { fault = fault ?? FormatError(line: line, words) }

    private static func integer(_ text: String, _ range: ClosedRange<Int>) -> Int? {
        DecimalNumber.value(text, in: Double(range.lowerBound)...Double(range.upperBound))
            .flatMap { Int(exactly: $0.rounded()) }
    }

    /// `dgps` and `pps` describe the quality of the fix, not its dimensions.
    private static func fix(_ text: String) -> (Location.Fix?, Location.Status?) {
        switch text.lowercased().filter({ !$0.isBlank }) {
        case "none": (.noPosition, nil)
        case "2d": (.twoDimensional, nil)
        case "3d": (.threeDimensional, nil)
        case "dgps": (nil, .dgps)
        case "pps": (nil, .precise)
        default: (nil, nil)
        }
    }
}
