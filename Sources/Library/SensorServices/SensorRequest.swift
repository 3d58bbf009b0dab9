/// A request for readings of one resource.
///
/// Equal requests of a process share one subscription.
public struct SensorRequest: Hashable, Codable, Sendable {
    /// The resource.
    public var resource: ResourceName
    /// The mean interval of readings, kept exactly.
    ///
    /// Nil: the resource's default. `.fastest`: as fast as the device can. `.everySample`, which is zero: whatever the device measures.
    public var interval: Duration?
    /// How long readings may be gathered into a batch, which saves wake-ups.
    public var batch: Duration?
    /// The newest sample of each interval, or their mean; nil: the newest.
    public var filter: SensorFilter?
    /// The smallest change between readings, in metres or the kind's unit; smaller changes are left out.
    public var minimumChange: Double?
    /// True to receive each satellite in view with locations.
    public var satellites = false
    /// True to wait for a resource that the broker does not have yet, such as a second sensor that will be plugged in.
    ///
    /// A stream then begins with the state `unavailable`, instead of ending with ``SensorError/noSuchResource(_:)``.
    /// The broker does not know of it.
    public var waitsForResource = false

    /// Resources whose values at the times of the readings come with these.
    package var companions: [ResourceName] = []

    private enum CodingKeys: CodingKey {
        case resource, interval, batch, filter, minimumChange, satellites, waitsForResource
    }

    /// Creates a request for a resource at its default interval.
    public init(_ resource: ResourceName) { self.resource = resource }

    /// Why the request is invalid; nil if it is valid.
    package var fault: SensorError? {
        if let interval, interval < .zero {
            return .invalidRequest("the interval \(interval) is negative; use .fastest for as fast as the device can")
        }
        if let batch, batch < .zero { return .invalidRequest("the batch time \(batch) is negative; use zero for none") }
        if let minimumChange, !minimumChange.isFinite || minimumChange < 0 {
            return .invalidRequest("the minimum change \(minimumChange) is not valid; use nil for none")
        }
        return nil
    }
}

/// How the samples of an interval are combined into a reading; the raw value is its name on the wire.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum SensorFilter: String, Hashable, Codable, Sendable {
    /// The newest sample.
    case newest
    /// The arithmetic mean of the samples, stamped at their mean time.
    case mean
}

/// Which subscriptions to end.
public enum ReleaseScope: Hashable, Codable, Sendable {
    /// The subscription to one request.
    case one(SensorRequest)
    /// All subscriptions to a resource.
    case resource(ResourceName)
    /// All subscriptions.
    case all

    package func covers(_ request: SensorRequest) -> Bool {
        switch self {
        case .one(let one): one == request
        case .resource(let resource): request.resource == resource
        case .all: true
        }
    }
}

extension SensorRequest: CustomStringConvertible {
    /// What is requested, in one line: `accelerometer every 20 ms, mean`.
    public var description: String {
        var parts: [String] = []
        if let filter { parts.append(filter.rawValue) }
        if let minimumChange { parts.append("changes of \(minimumChange.text(digits: 6))") }
        if let batch { parts.append("in batches of \(batch.text)") }
        if satellites { parts.append("with satellites") }
        if !companions.isEmpty { parts.append("with \(companions.map(\.description).joined(separator: ", "))") }
        if waitsForResource { parts.append("once it is there") }
        let pace = interval.map(\.pace)
        return ([([resource.description] + [pace].compactMap { $0 }).joined(separator: " ")] + parts)
            .joined(separator: ", ")
    }
}

extension ReleaseScope: CustomStringConvertible {
    /// What is released.
    public var description: String {
        switch self {
        case .one(let request): "\(request)"
        case .resource(let resource): "\(resource)"
        case .all: "all"
        }
    }
}
