public import Varlink

/// A resource, as the broker describes it.
public struct Resource: Decoded {
    /// A channel of its readings.
    public struct Channel: Equatable, Sendable {
        /// The name of its column.
        public let name: String
        /// Its unit.
        public let unit: String
    }

    /// The object as received.
    public let object: JSONObject
    /// Its name.
    public let name: String
    /// Its kind, by the name on the wire.
    public let kind: String
    /// The channels of its readings; none for a location or an orientation.
    public let channels: [Channel]
    /// Its state, by the name on the wire.
    public let state: String
    /// The reason for the state, for people to read.
    public let reason: String?
    /// Whether its readings come from a mock or a recording.
    public let simulated: Bool
    /// The shortest interval that it can deliver.
    public let minimumIntervalNanoseconds: Int64
    /// The longest.
    public let maximumIntervalNanoseconds: Int64
    /// The interval of a request that names none.
    public let defaultIntervalNanoseconds: Int64
    /// The interval of the device, if it is known.
    public let deviceIntervalNanoseconds: Int64?
    /// The device, for people to read.
    public let description: String?

    /// Parses the resource of an object.
    public init(_ parameters: Parameters) throws(VarlinkError) {
        object = parameters.object
        name = try parameters.string("name")
        kind = try parameters.string("kind")
        channels = try (parameters.optionalObjects("channels") ?? []).map { channel throws(VarlinkError) in
            Channel(name: try channel.string("name"), unit: try channel.string("unit"))
        }
        state = try parameters.string("state")
        reason = try parameters.optionalString("reason")
        simulated = try parameters.bool("simulated")
        minimumIntervalNanoseconds = try parameters.integer("minimumIntervalNanoseconds")
        maximumIntervalNanoseconds = try parameters.integer("maximumIntervalNanoseconds")
        defaultIntervalNanoseconds = try parameters.integer("defaultIntervalNanoseconds")
        deviceIntervalNanoseconds = try parameters.optionalInteger("deviceIntervalNanoseconds")
        description = try parameters.optionalString("description")
    }
}
