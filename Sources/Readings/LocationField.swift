/// A number of a location: its name on the wire and in tables, what it can be, and what its mean is.
///
/// Everything that goes through the fields of a location goes through the table of them, in its order.
public struct LocationField: Sendable {
    /// What stands for the values of an interval.
    public enum Mean: Sendable {
        /// The arithmetic mean of those that are known.
        case arithmetic
        /// The same, across the line where 180 is -180.
        case longitude
        /// The mean direction; unknown where the directions cancel out.
        case direction
        /// The newest.
        case newest
    }

    /// The name, as a key of an object.
    public let key: StaticString
    /// Whether it counts something.
    public let isWhole: Bool
    /// What stands for the values of an interval.
    public let mean: Mean
    /// What its values can be.
    public let range: ClosedRange<Double>
    private let get: @Sendable (Location) -> Double?
    private let set: @Sendable (inout Location, Double?) -> Void

    /// All of them.
    public static let all: [LocationField] = [
        LocationField("latitudeDegrees", \.latitudeDegrees, PossibleValues.latitudes),
        LocationField("longitudeDegrees", \.longitudeDegrees, PossibleValues.longitudes, .longitude),
        LocationField("altitudeMeters", \.altitudeMeters, PossibleValues.heights),
        LocationField("ellipsoidHeightMeters", \.ellipsoidHeightMeters, PossibleValues.heights),
        LocationField("horizontalErrorMeters", \.horizontalErrorMeters, PossibleValues.errors),
        LocationField("verticalErrorMeters", \.verticalErrorMeters, PossibleValues.errors),
        LocationField("speedMetersPerSecond", \.speedMetersPerSecond, PossibleValues.speeds),
        LocationField("trackDegrees", \.trackDegrees, PossibleValues.directions, .direction),
        LocationField("climbMetersPerSecond", \.climbMetersPerSecond, PossibleValues.velocities),
        LocationField("satellitesUsed", \.satellitesUsed, PossibleValues.satelliteCounts),
        LocationField("satellitesVisible", \.satellitesVisible, PossibleValues.satelliteCounts),
        LocationField("speedErrorMetersPerSecond", \.speedErrorMetersPerSecond, PossibleValues.speeds),
        LocationField("trackErrorDegrees", \.trackErrorDegrees, PossibleValues.directions),
        LocationField("climbErrorMetersPerSecond", \.climbErrorMetersPerSecond, PossibleValues.speeds),
        LocationField("geoidSeparationMeters", \.geoidSeparationMeters, PossibleValues.geoidSeparations),
        LocationField("horizontalDilution", \.horizontalDilution, PossibleValues.dilutions),
        LocationField("verticalDilution", \.verticalDilution, PossibleValues.dilutions),
        LocationField("positionDilution", \.positionDilution, PossibleValues.dilutions),
        LocationField("velocityNorthMetersPerSecond", \.velocityNorthMetersPerSecond, PossibleValues.velocities),
        LocationField("velocityEastMetersPerSecond", \.velocityEastMetersPerSecond, PossibleValues.velocities),
        LocationField("velocityDownMetersPerSecond", \.velocityDownMetersPerSecond, PossibleValues.velocities),
        LocationField("ecefVelocityXMetersPerSecond", \.ecefVelocityXMetersPerSecond, PossibleValues.velocities),
        LocationField("ecefVelocityYMetersPerSecond", \.ecefVelocityYMetersPerSecond, PossibleValues.velocities),
        LocationField("ecefVelocityZMetersPerSecond", \.ecefVelocityZMetersPerSecond, PossibleValues.velocities),
        LocationField("timeErrorSeconds", \.timeErrorSeconds, PossibleValues.timeErrors),
        LocationField("leapSeconds", \.leapSeconds, PossibleValues.leapSeconds),
    ]

    private init(
        _ key: StaticString, _ path: any WritableKeyPath<Location, Double?> & Sendable, _ range: ClosedRange<Double>,
        _ mean: Mean = .arithmetic
    ) {
        self.key = key
        self.range = range
        self.mean = mean
        isWhole = false
        get = { $0[keyPath: path] }
        set = { $0[keyPath: path] = $1 }
    }

    private init(
        _ key: StaticString, _ path: any WritableKeyPath<Location, Int?> & Sendable, _ range: ClosedRange<Int>
    ) {
        self.key = key
        mean = .newest
        self.range = Double(range.lowerBound)...Double(range.upperBound)
        isWhole = true
        get = { $0[keyPath: path].map { Double($0) } }
        set = { $0[keyPath: path] = $1.flatMap { Int(exactly: $0.rounded()) } }
    }

    /// The name on the wire and in tables.
    public var name: String { key.description }

    /// Whether it is half of a position, which is known as a whole or not at all.
    public var isCoordinate: Bool { name == "latitudeDegrees" || name == "longitudeDegrees" }

    /// The value in a location; nil where it is not known.
    public func value(of location: Location) -> Double? { get(location) }

    /// Puts a value into a location; nil makes it unknown.
    public func put(_ value: Double?, into location: inout Location) { set(&location, value) }

    /// The text of the value; empty where it is not known.
    public func text(of location: Location) -> String {
        guard let value = get(location) else { return "" }
        return isWhole ? "\(Int(exactly: value) ?? 0)" : value.description
    }
}
