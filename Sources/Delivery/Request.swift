public import Readings

/// What a client asks of one resource.
///
/// What it leaves out is the resource's default.
public struct Request: Equatable, Sendable {
    /// The resource it is about.
    public var resource: ResourceName
    /// Nanoseconds from one reading to the next, not negative; 0: every sample that the device makes.
    public var intervalNanoseconds: Int64?
    /// How long readings may be gathered into one reply, not negative.
    public var batchNanoseconds: Int64?
    /// What an interval's samples become.
    public var filter: Filter?
    /// Metres or m/s² that a reading must differ from the one delivered before, finite and not negative.
    public var minimumChange: Double?
    /// Whether locations tell each satellite.
    public var wantsSatellites = false
    /// Whether values of several samples come packed.
    public var wantsPacked = false

    /// A request that leaves everything to the resource's defaults.
    public init(resource: ResourceName) { self.resource = resource }
}

/// What an interval's samples become; the raw value is its name on the wire.
public enum Filter: String, Sendable {
    /// The newest of them.
    case newest
    /// Their arithmetic mean.
    case mean
}
