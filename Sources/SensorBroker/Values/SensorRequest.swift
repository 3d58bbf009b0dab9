internal import BrokerClient

/// What is wanted of one resource.
///
/// Equal requests of a process share one subscription.
public struct SensorRequest: Hashable, Sendable {
    /// Of which resource.
    public var resource: ResourceName
    /// One reading an interval, exactly so on average; zero: every sample; nil: the resource's default.
    public var interval: Duration?
    /// How long readings may be gathered and sent together, which spares wake-ups.
    public var batch: Duration?
    /// The newest sample of the interval or their mean; nil: the newest.
    public var filter: SensorFilter?
    /// What moved less than this since the last reading is left out: metres, or m/s².
    public var minimumChange: Double?
    /// Locations of a stream hold each satellite in view.
    public var satellites = false

    /// A request for a resource at its default interval.
    public init(_ resource: ResourceName) { self.resource = resource }

    /// Why it can never be fulfilled; nil where it can.
    var fault: SensorError? {
        if let interval, interval < .zero {
            return .invalidRequest("the interval \(interval) is negative; use zero for every sample")
        }
        if let batch, batch < .zero { return .invalidRequest("the batch time \(batch) is negative") }
        if let minimumChange, !minimumChange.isFinite || minimumChange < 0 {
            return .invalidRequest("the minimum change \(minimumChange) is no distance; use nil for none")
        }
        return nil
    }

    /// The request as it goes out.
    var wire: BrokerClient.Request {
        var request = BrokerClient.Request(resource: resource.description)
        request.intervalNanoseconds = interval?.clampedNanoseconds
        request.batchNanoseconds = batch?.clampedNanoseconds
        request.filter = filter?.rawValue
        request.minimumChange = minimumChange
        request.satellites = satellites
        return request
    }
}
