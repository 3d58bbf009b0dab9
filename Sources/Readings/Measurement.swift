/// What a sample says, by kind of resource.
public enum Measurement: Equatable, Sendable {
    /// Boxed: a location is some 400 bytes and comes once a second, an acceleration 24 and comes thousands of times.
    indirect case location(Location)
    /// Acceleration in m/s².
    case acceleration(Acceleration)
    /// Which edge is up.
    case orientation(Orientation)

    /// The kind of resource that measures this.
    public var kind: ResourceKind {
        switch self {
        case .location: .location
        case .acceleration: .acceleration
        case .orientation: .orientation
        }
    }
}
