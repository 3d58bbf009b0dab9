/// The numbers of a location: their names on the wire and in tables, in the order of the tables, and what they can be.
public struct LocationField: Sendable {
    /// The name.
    public let name: String
    /// Whether it counts something.
    public let isWhole: Bool
    /// What its values can be.
    public let range: ClosedRange<Double>
    private let get: @Sendable (Location) -> Double?
    private let set: @Sendable (inout Location, Double?) -> Void

    /// All of them.
    public static let all: [LocationField] = [
        LocationField("latitudeDegrees", \.latitudeDegrees, PossibleValues.latitudes),
        LocationField("longitudeDegrees", \.longitudeDegrees, PossibleValues.longitudes),
        LocationField("altitudeMeters", \.altitudeMeters, PossibleValues.heights),
        LocationField("ellipsoidHeightMeters", \.ellipsoidHeightMeters, PossibleValues.heights),
        LocationField("horizontalErrorMeters", \.horizontalErrorMeters, PossibleValues.errors),
        LocationField("verticalErrorMeters", \.verticalErrorMeters, PossibleValues.errors),
        LocationField("speedMetersPerSecond", \.speedMetersPerSecond, PossibleValues.speeds),
        LocationField("trackDegrees", \.trackDegrees, PossibleValues.directions),
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
        _ name: String, _ path: any WritableKeyPath<Location, Double?> & Sendable, _ range: ClosedRange<Double>
    ) {
        self.name = name
        self.range = range
        isWhole = false
        get = { $0[keyPath: path] }
        set = { $0[keyPath: path] = $1 }
    }

    private init(
        _ name: String, _ path: any WritableKeyPath<Location, Int?> & Sendable, _ range: ClosedRange<Int>
    ) {
        self.name = name
        self.range = Double(range.lowerBound)...Double(range.upperBound)
        isWhole = true
        get = { $0[keyPath: path].map { Double($0) } }
        set = { $0[keyPath: path] = $1.flatMap { Int(exactly: $0.rounded()) } }
    }

    /// The value in a location; nil where it is not known.
    public func value(of location: Location) -> Double? { get(location) }

    /// Puts a value into a location.
    public func put(_ value: Double, into location: inout Location) { set(&location, value) }

    /// Makes the value unknown.
    func remove(from location: inout Location) { set(&location, nil) }

    /// The text of the value; empty where it is not known.
    public func text(of location: Location) -> String {
        guard let value = get(location) else { return "" }
        return isWhole ? "\(Int(exactly: value) ?? 0)" : value.description
    }
}
