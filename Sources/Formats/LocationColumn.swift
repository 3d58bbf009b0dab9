public import Readings

/// The values of a location that are numbers, by the names that they have on the wire and in tables.
public struct LocationColumn: Sendable {
    /// The name.
    public let name: String
    /// What it may be, in a file that somebody else wrote.
    let range: ClosedRange<Double>
    /// Other names for it, in lower case and without anything but letters and digits.
    let otherNames: [String]
    private let get: @Sendable (Location) -> Double?
    private let set: @Sendable (inout Location, Double) -> Void

    /// All of them, in the order of the interface.
    public static let all: [LocationColumn] = [
        LocationColumn("latitudeDegrees", \.latitudeDegrees, -90...90, ["latitude", "lat"]),
        LocationColumn("longitudeDegrees", \.longitudeDegrees, -180...180, ["longitude", "lon", "lng", "long"]),
        LocationColumn("altitudeMeters", \.altitudeMeters, heights, ["altitude", "alt", "elevation", "ele", "height"]),
        LocationColumn("ellipsoidHeightMeters", \.ellipsoidHeightMeters, heights, ["althae"]),
        LocationColumn("horizontalErrorMeters", \.horizontalErrorMeters, 0...20_000_000, ["eph"]),
        LocationColumn("verticalErrorMeters", \.verticalErrorMeters, 0...20_000_000, ["epv"]),
        LocationColumn("speedMetersPerSecond", \.speedMetersPerSecond, speeds, ["speed", "velocity"]),
        LocationColumn("trackDegrees", \.trackDegrees, 0...360, ["track", "course", "bearing", "heading"]),
        LocationColumn("climbMetersPerSecond", \.climbMetersPerSecond, -10_000...10_000, ["climb"]),
        LocationColumn("speedErrorMetersPerSecond", \.speedErrorMetersPerSecond, speeds, ["eps"]),
        LocationColumn("trackErrorDegrees", \.trackErrorDegrees, 0...360, ["epd"]),
        LocationColumn("climbErrorMetersPerSecond", \.climbErrorMetersPerSecond, speeds, ["epc"]),
        LocationColumn("geoidSeparationMeters", \.geoidSeparationMeters, -1_000...1_000, ["geoidheight"]),
        LocationColumn("horizontalDilution", \.horizontalDilution, 0...1_000, ["hdop"]),
        LocationColumn("verticalDilution", \.verticalDilution, 0...1_000, ["vdop"]),
        LocationColumn("positionDilution", \.positionDilution, 0...1_000, ["pdop"]),
        LocationColumn("satellitesUsed", \.satellitesUsed, ["satellites", "sat", "numsat"]),
        LocationColumn("satellitesVisible", \.satellitesVisible, []),
    ]

    /// Those without which there is no position.
    static let position = ["latitudeDegrees", "longitudeDegrees"]

    private static let heights = -20_000.0...100_000.0
    private static let speeds = 0.0...10_000.0

    private init(
        _ name: String, _ path: any WritableKeyPath<Location, Double?> & Sendable, _ range: ClosedRange<Double>,
        _ otherNames: [String]
    ) {
        self.name = name
        self.range = range
        self.otherNames = otherNames
        get = { $0[keyPath: path] }
        set = { $0[keyPath: path] = $1 }
    }

    private init(_ name: String, _ path: any WritableKeyPath<Location, Int?> & Sendable, _ otherNames: [String]) {
        self.name = name
        range = 0...1_000
        self.otherNames = otherNames
        get = { $0[keyPath: path].map { Double($0) } }
        set = { $0[keyPath: path] = Int(exactly: $1.rounded()) }
    }

    /// The value in a location.
    public func value(of location: Location) -> Double? { get(location) }

    /// The text of the value; empty where it is not known.
    public func text(of location: Location) -> String {
        guard let value = get(location) else { return "" }
        return name.hasPrefix("satellites") ? "\(Int(exactly: value) ?? 0)" : value.description
    }

    /// Puts a value in; false where it is none that can be.
    func put(_ value: Double, into location: inout Location) -> Bool {
        guard range.contains(value) else { return false }
        set(&location, name == "trackDegrees" && value == 360 ? 0 : value)
        return true
    }
}
