/// A field of a location, a number or a word: its name on the wire and in tables, its range, and the rule for its mean.
///
/// All code that processes every field of a location loops over this table, in its order. A class, since a structure with closures
/// would be copied with them, and retained, for each field of each location.
public final class LocationField: Sendable {
    /// How the values of an interval are combined.
    public enum Mean: Sendable {
        /// The arithmetic mean of the known values.
        case arithmetic
        /// The arithmetic mean, also across the antimeridian, where 180 equals -180, and likewise of a roll.
        case longitude
        /// The mean direction; unknown if the directions cancel out.
        case direction
        /// The newest value.
        case newest
    }

    /// The name as a JSON key.
    public let key: StaticString
    /// Whether the field is a count, hence an integer.
    public let isWhole: Bool
    /// How the values of an interval are combined.
    public let mean: Mean
    /// The range of its values.
    public let range: ClosedRange<Double>
    /// The words of a field whose value is the index of one; empty for a number.
    public let words: [String]
    private let get: @Sendable (Location) -> Double?
    private let set: @Sendable (inout Location, Double?) -> Void

    /// All fields.
    public static let all: [LocationField] = [
        LocationField("latitudeDegrees", { $0.latitudeDegrees }, { $0.latitudeDegrees = $1 }, PossibleValues.latitudes),
        LocationField(
            "longitudeDegrees", { $0.longitudeDegrees }, { $0.longitudeDegrees = $1 },
            PossibleValues.longitudes, .longitude),
        LocationField("altitudeMeters", { $0.altitudeMeters }, { $0.altitudeMeters = $1 }, PossibleValues.heights),
        LocationField(
            "ellipsoidHeightMeters", { $0.ellipsoidHeightMeters }, { $0.ellipsoidHeightMeters = $1 },
            PossibleValues.heights),
        LocationField(
            "horizontalErrorMeters", { $0.horizontalErrorMeters }, { $0.horizontalErrorMeters = $1 },
            PossibleValues.errors),
        LocationField(
            "verticalErrorMeters", { $0.verticalErrorMeters }, { $0.verticalErrorMeters = $1 }, PossibleValues.errors),
        LocationField(
            "speedMetersPerSecond", { $0.speedMetersPerSecond }, { $0.speedMetersPerSecond = $1 },
            PossibleValues.speeds),
        LocationField(
            "trackDegrees", { $0.trackDegrees }, { $0.trackDegrees = $1 }, PossibleValues.directions, .direction),
        LocationField(
            "climbMetersPerSecond", { $0.climbMetersPerSecond }, { $0.climbMetersPerSecond = $1 },
            PossibleValues.velocities),
        LocationField(
            "satellitesUsed", { $0.satellitesUsed }, { $0.satellitesUsed = $1 }, PossibleValues.satelliteCounts),
        LocationField(
            "satellitesVisible", { $0.satellitesVisible }, { $0.satellitesVisible = $1 },
            PossibleValues.satelliteCounts),
        LocationField(
            "speedErrorMetersPerSecond", { $0.speedErrorMetersPerSecond }, { $0.speedErrorMetersPerSecond = $1 },
            PossibleValues.speeds),
        LocationField(
            "trackErrorDegrees", { $0.trackErrorDegrees }, { $0.trackErrorDegrees = $1 }, PossibleValues.directions),
        LocationField(
            "climbErrorMetersPerSecond", { $0.climbErrorMetersPerSecond }, { $0.climbErrorMetersPerSecond = $1 },
            PossibleValues.speeds),
        LocationField(
            "geoidSeparationMeters", { $0.geoidSeparationMeters }, { $0.geoidSeparationMeters = $1 },
            PossibleValues.geoidSeparations),
        LocationField(
            "horizontalDilution", { $0.horizontalDilution }, { $0.horizontalDilution = $1 }, PossibleValues.dilutions),
        LocationField(
            "verticalDilution", { $0.verticalDilution }, { $0.verticalDilution = $1 }, PossibleValues.dilutions),
        LocationField(
            "positionDilution", { $0.positionDilution }, { $0.positionDilution = $1 }, PossibleValues.dilutions),
        LocationField(
            "velocityNorthMetersPerSecond", { $0.velocityNorthMetersPerSecond },
            { $0.velocityNorthMetersPerSecond = $1 }, PossibleValues.velocities),
        LocationField(
            "velocityEastMetersPerSecond", { $0.velocityEastMetersPerSecond }, { $0.velocityEastMetersPerSecond = $1 },
            PossibleValues.velocities),
        LocationField(
            "velocityDownMetersPerSecond", { $0.velocityDownMetersPerSecond }, { $0.velocityDownMetersPerSecond = $1 },
            PossibleValues.velocities),
        LocationField(
            "ecefVelocityXMetersPerSecond", { $0.ecefVelocityXMetersPerSecond },
            { $0.ecefVelocityXMetersPerSecond = $1 }, PossibleValues.velocities),
        LocationField(
            "ecefVelocityYMetersPerSecond", { $0.ecefVelocityYMetersPerSecond },
            { $0.ecefVelocityYMetersPerSecond = $1 }, PossibleValues.velocities),
        LocationField(
            "ecefVelocityZMetersPerSecond", { $0.ecefVelocityZMetersPerSecond },
            { $0.ecefVelocityZMetersPerSecond = $1 }, PossibleValues.velocities),
        LocationField(
            "timeErrorSeconds", { $0.timeErrorSeconds }, { $0.timeErrorSeconds = $1 }, PossibleValues.timeErrors),
        LocationField("leapSeconds", { $0.leapSeconds }, { $0.leapSeconds = $1 }, PossibleValues.leapSeconds),
        LocationField("status", { $0.status }, { $0.status = $1 }),
        LocationField(
            "correctionAgeSeconds", { $0.correctionAgeSeconds }, { $0.correctionAgeSeconds = $1 },
            PossibleValues.correctionAges),
        LocationField(
            "correctionStation", { $0.correctionStation }, { $0.correctionStation = $1 },
            PossibleValues.correctionStations),
        LocationField(
            "headingDegrees", { $0.headingDegrees }, { $0.headingDegrees = $1 }, PossibleValues.directions, .direction),
        LocationField("pitchDegrees", { $0.pitchDegrees }, { $0.pitchDegrees = $1 }, PossibleValues.pitches),
        LocationField("rollDegrees", { $0.rollDegrees }, { $0.rollDegrees = $1 }, PossibleValues.rolls, .longitude),
        LocationField(
            "baselineNorthMeters", { $0.baselineNorthMeters }, { $0.baselineNorthMeters = $1 },
            PossibleValues.baselines),
        LocationField(
            "baselineEastMeters", { $0.baselineEastMeters }, { $0.baselineEastMeters = $1 }, PossibleValues.baselines),
        LocationField(
            "baselineDownMeters", { $0.baselineDownMeters }, { $0.baselineDownMeters = $1 }, PossibleValues.baselines),
        LocationField(
            "baselineLengthMeters", { $0.baselineLengthMeters }, { $0.baselineLengthMeters = $1 },
            PossibleValues.baselineLengths),
        LocationField(
            "baselineHeadingDegrees", { $0.baselineHeadingDegrees }, { $0.baselineHeadingDegrees = $1 },
            PossibleValues.directions, .direction),
    ]

    // Closures instead of key paths, which cost ten times as much; each field of a location is read several times.
    private init(
        _ key: StaticString, _ get: @escaping @Sendable (Location) -> Double?,
        _ set: @escaping @Sendable (inout Location, Double?) -> Void, _ range: ClosedRange<Double>,
        _ mean: Mean = .arithmetic
    ) {
        self.key = key
        self.range = range
        self.mean = mean
        words = []
        isWhole = false
        self.get = get
        self.set = set
    }

    private init(
        _ key: StaticString, _ get: @escaping @Sendable (Location) -> Int?,
        _ set: @escaping @Sendable (inout Location, Int?) -> Void, _ range: ClosedRange<Int>
    ) {
        self.key = key
        mean = .newest
        words = []
        self.range = Double(range.lowerBound)...Double(range.upperBound)
        isWhole = true
        self.get = { get($0).map { Double($0) } }
        self.set = { set(&$0, $1.flatMap { Int(exactly: $0.rounded()) }) }
    }

    private init<Word: CaseIterable & RawRepresentable<String> & Sendable>(
        _ key: StaticString, _ get: @escaping @Sendable (Location) -> Word?,
        _ set: @escaping @Sendable (inout Location, Word?) -> Void
    ) {
        let words = Word.allCases.map(\.rawValue)
        self.key = key
        self.words = words
        mean = .newest
        range = 0...Double(max(0, words.count - 1))
        isWhole = false
        self.get = { get($0).flatMap { words.firstIndex(of: $0.rawValue) }.map { Double($0) } }
        self.set = { location, value in
            let index = value.flatMap { Int(exactly: $0) }.flatMap { words.indices.contains($0) ? $0 : nil }
            set(&location, index.flatMap { Word(rawValue: words[$0]) })
        }
    }

    /// The name on the wire and in tables.
    public var name: String { key.description }

    /// Whether the field is latitude or longitude, which are known together or not at all.
    public var isCoordinate: Bool { name == "latitudeDegrees" || name == "longitudeDegrees" }

    /// The value in a location; nil if it is unknown.
    public func value(of location: Location) -> Double? { get(location) }

    /// Sets the value in a location; nil makes it unknown.
    public func put(_ value: Double?, into location: inout Location) { set(&location, value) }

    /// Whether a location's value is out of the field's range.
    func refuses(_ location: Location) -> Bool { get(location).map { !range.contains($0) } ?? false }

    /// The word that a value stands for; nil if the field is a number.
    public func word(of value: Double) -> String? {
        words.isEmpty ? nil : Int(exactly: value).flatMap { words.indices.contains($0) ? words[$0] : nil }
    }

    /// The value that stands for a word; nil if the field is a number, or has no such word.
    public func value(of word: String) -> Double? { words.firstIndex(of: word).map { Double($0) } }

    /// The text of the value; empty if it is unknown.
    public func text(of location: Location) -> String {
        guard let value = get(location) else { return "" }
        if let word = word(of: value) { return word }
        return isWhole ? "\(Int(exactly: value) ?? 0)" : value.description
    }
}
