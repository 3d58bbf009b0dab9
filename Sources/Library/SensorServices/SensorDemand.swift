/// What the clients of a provided sensor want of it.
public enum SensorDemand: Hashable, Codable, Sendable {
    /// Nobody wants samples: the device may rest.
    case nobody
    /// Samples are wanted, at most so far apart; nil: as the provider likes. They may be gathered for the latency and then be sent at once.
    case samples(every: Duration?, latency: Duration)
}

extension SensorDemand: CustomStringConvertible {
    /// What is wanted, in words: `every 20 ms, in batches of 1 s`.
    public var description: String {
        switch self {
        case .nobody: "nobody wants samples"
        case .samples(let interval, let latency):
            (interval?.pace ?? "as it likes") + (latency > .zero ? ", in batches of \(latency.text)" : "")
        }
    }
}
