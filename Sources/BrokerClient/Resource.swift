public import Varlink

/// A resource, as the broker tells of it.
public struct Resource: Decoded {
    /// A number of its readings.
    public struct Channel: Equatable, Sendable {
        /// The name of its column.
        public let name: String
        /// In what it is measured.
        public let unit: String
    }

    /// As it came.
    public let object: JSONObject
    /// What clients call it.
    public let name: String
    /// What it measures, by its name on the wire.
    public let kind: String
    /// The numbers of its readings; none where they are a location or a word.
    public let channels: [Channel]
    /// How it is doing, by its name on the wire.
    public let state: String
    /// Why, for people.
    public let reason: String?
    /// Whether a mock or a replay makes the readings.
    public let simulated: Bool
    /// The shortest interval that it can deliver.
    public let minimumIntervalNanoseconds: Int64
    /// The longest.
    public let maximumIntervalNanoseconds: Int64
    /// What a request without an interval gets.
    public let defaultIntervalNanoseconds: Int64
    /// What the device runs at, where it is known.
    public let deviceIntervalNanoseconds: Int64?
    /// The device, for people.
    public let description: String?

    /// The resource of an object.
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
