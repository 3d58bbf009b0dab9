/// An element of a sensor's stream, in order.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum SensorEvent<Value: Sendable>: Sendable {
    /// A reading.
    case reading(Reading<Value>)
    /// Readings are missing here.
    case gap(Gap)
    /// The resource is in this state from here on.
    case state(ResourceState)
    /// This grant holds from here on.
    case grant(Grant)
    /// The broker is away, for this reason. The stream continues when it is back, with a gap.
    case disconnected(SensorError)
    /// A change of the request is invalid, for this reason; the former request still applies.
    case refused(SensorError)
}

extension SensorEvent: Equatable where Value: Equatable {}

extension SensorEvent: Hashable where Value: Hashable {}

extension SensorEvent: Encodable where Value: Encodable {}

extension SensorEvent: Decodable where Value: Decodable {}

extension SensorEvent: CustomStringConvertible {
    /// What happened, in one line.
    public var description: String {
        switch self {
        case .reading(let reading): "\(reading)"
        case .gap(let gap): "\(gap)"
        case .state(let state): "\(state)"
        case .grant(let grant): "\(grant)"
        case .disconnected(let error): "disconnected: \(error)"
        case .refused(let error): "refused: \(error)"
        }
    }
}

/// Readings that the listener should have received but did not.
///
/// Every loss is reported.
public struct Gap: Hashable, Codable, Sendable {
    /// Why readings are missing.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Cause: Hashable, Sendable {
        /// This process read its socket too slowly.
        case slowClient
        /// The device's own buffer overflowed.
        case deviceOverflow
        /// The device was lost or failed.
        case deviceLost
        /// The device changed its interval or its configuration.
        case reconfigured
        /// The broker was restarted, or crashed and was started again; the stream continued.
        case restarted
        /// An administrator released the device.
        case released
        /// The broker was away; the subscription has been renewed.
        case disconnected
        /// The iteration or the delegate was too slow: the oldest readings were dropped.
        case slowConsumer
        /// A part of a value of several resources was not known at that time, such as the gravity of a ``DeviceMotion``.
        case incomplete
        /// A cause that this library does not know, by its name.
        case other(String)
    }

    /// The resource.
    public var resource: ResourceName
    /// Why readings are missing.
    public var cause: Cause
    /// How many are missing, if that is known.
    public var count: Int?
    /// The first instant that is missing.
    public var from: BootTime
    /// The last instant that is missing.
    public var until: BootTime

    /// Creates a gap with a cause over a span of time.
    public init(resource: ResourceName, cause: Cause, count: Int?, from: BootTime, until: BootTime) {
        self.resource = resource
        self.cause = cause
        self.count = count
        self.from = from
        self.until = until
    }
}

/// The broker's grant for a request.
///
/// A request that is out of range is adjusted, never refused.
public struct Grant: Hashable, Codable, Sendable {
    /// The resource.
    public var resource: ResourceName
    /// The interval of readings; zero: every sample of the device.
    public var interval: Duration
    /// How long readings may be gathered into a batch.
    public var batch: Duration
    /// The interval at which the device runs for all clients; nil if it is not known.
    public var deviceInterval: Duration?

    /// Creates a grant of an interval.
    public init(
        resource: ResourceName, interval: Duration, batch: Duration = .zero, deviceInterval: Duration? = nil
    ) {
        self.resource = resource
        self.interval = interval
        self.batch = batch
        self.deviceInterval = deviceInterval
    }
}

extension Gap: CustomStringConvertible {
    /// How much is missing and why: `accelerometer: 12 readings missing in 240 ms (slowClient)`.
    public var description: String {
        let what = count.map { $0 == 1 ? "1 reading" : "\($0) readings" } ?? "readings"
        return "\(resource): \(what) missing in \(from.duration(to: until).text) (\(cause))"
    }
}

extension Gap.Cause: Codable, CustomStringConvertible {
    private static let named: [(cause: Self, name: String)] = [
        (.slowClient, "slowClient"), (.deviceOverflow, "deviceOverflow"), (.deviceLost, "deviceLost"),
        (.reconfigured, "reconfigured"), (.restarted, "restarted"), (.released, "released"),
        (.disconnected, "disconnected"), (.slowConsumer, "slowConsumer"), (.incomplete, "incomplete"),
    ]

    /// The cause of a name.
    public init(name: String) { self = Self.named.first { $0.name == name }?.cause ?? .other(name) }

    /// The cause's name, which for a cause of the broker is that on the wire.
    public var description: String {
        if case .other(let name) = self { return name }
        return Self.named.first { $0.cause == self }?.name ?? ""
    }

    /// Decodes the name.
    public init(from decoder: any Decoder) throws {
        self.init(name: try decoder.singleValueContainer().decode(String.self))
    }

    /// Encodes the name.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

extension Grant: CustomStringConvertible {
    /// What is granted, in one line: `accelerometer: every 20 ms, in batches of 1 s`.
    public var description: String {
        "\(resource): \(interval.pace)\(batch == .zero ? "" : ", in batches of \(batch.text)")"
    }
}
