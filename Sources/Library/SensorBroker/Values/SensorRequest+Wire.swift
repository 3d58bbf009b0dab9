internal import BrokerClient

extension SensorRequest {
    /// The request as it is sent.
    var wire: BrokerClient.Request {
        var request = BrokerClient.Request(resource: resource.description)
        // Zero is every sample, so what is above it must not become zero.
        request.intervalNanoseconds = interval.map { interval in
            interval > .zero ? max(1, interval.clampedNanoseconds) : interval.clampedNanoseconds
        }
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
