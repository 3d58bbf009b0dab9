internal import BrokerClient

/// A request for readings of one resource.
///
/// Equal requests of a process share one subscription.
public struct SensorRequest: Hashable, Sendable {
    /// The resource.
    public var resource: ResourceName
    /// The mean interval of readings, kept exactly.
    ///
    /// Zero: every sample. Nil: the resource's default.
    public var interval: Duration?
    /// How long readings may be gathered into a batch, which saves wake-ups.
    public var batch: Duration?
    /// The newest sample of each interval, or their mean; nil: the newest.
    public var filter: SensorFilter?
    /// The smallest change between readings, in metres or the kind's unit; smaller changes are left out.
    public var minimumChange: Double?
    /// True to receive each satellite in view with locations.
    public var satellites = false

    /// Creates a request for a resource at its default interval.
    public init(_ resource: ResourceName) { self.resource = resource }

    /// Why the request is invalid; nil if it is valid.
    var fault: SensorError? {
        if let interval, interval < .zero {
            return .invalidRequest("the interval \(interval) is negative; use zero for every sample")
        }
        if let batch, batch < .zero { return .invalidRequest("the batch time \(batch) is negative; use zero for none") }
        if let minimumChange, !minimumChange.isFinite || minimumChange < 0 {
            return .invalidRequest("the minimum change \(minimumChange) is not valid; use nil for none")
        }
        return nil
    }

    /// The request as it is sent.
    var wire: BrokerClient.Request {
        var request = BrokerClient.Request(resource: resource.description)
        request.intervalNanoseconds = interval?.clampedNanoseconds
        request.batchNanoseconds = batch?.clampedNanoseconds
        request.filter = filter?.rawValue
        request.minimumChange = minimumChange
        request.satellites = satellites
        request.packed = isPacked
        return request
    }

    /// From a thousand values a second on, what it costs to read decimal numbers counts; 24 bits hold all that is measured.
    private var isPacked: Bool {
        guard let interval, let batch else { return false }
        return batch > .zero && interval <= .milliseconds(1)
    }
}

/// How the samples of an interval are combined into a reading; the raw value is its name on the wire.
public enum SensorFilter: String, Hashable, Sendable {
    /// The newest sample.
    case newest
    /// The arithmetic mean of the samples, stamped at their mean time.
    case mean
}

/// Which subscriptions to end.
public enum ReleaseScope: Hashable, Sendable {
    /// The subscription to one request.
    case one(SensorRequest)
    /// All subscriptions to a resource.
    case resource(ResourceName)
    /// All subscriptions.
    case all

    func covers(_ request: SensorRequest) -> Bool {
        switch self {
        case .one(let one): one == request
        case .resource(let resource): request.resource == resource
        case .all: true
        }
    }
}

extension Duration {
    /// The duration in nanoseconds, clamped to what fits.
    var clampedNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, overflow) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        return isTooLong || overflow ? (seconds < 0 ? .min : .max) : sum
    }
}
