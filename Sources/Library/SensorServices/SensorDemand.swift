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

/// Samples that a provider sent, and that clients do not get.
public struct SensorRefusal: Hashable, Codable, Sendable {
    /// How many.
    public var count: Int
    /// Why the last of them was refused, for people to read.
    public var reason: String

    /// Creates a refusal, for a double of a broker.
    public init(count: Int, reason: String) {
        self.count = count
        self.reason = reason
    }
}

extension SensorRefusal: CustomStringConvertible {
    /// How many, and why: `3 samples refused: they are later than now`.
    public var description: String { "\(count) \(count == 1 ? "sample" : "samples") refused: \(reason)" }
}
