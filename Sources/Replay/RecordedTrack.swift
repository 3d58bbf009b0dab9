public import Readings

/// What a recording says of one resource.
public struct RecordedTrack: Sendable {
    /// Its name.
    public let name: ResourceName
    /// What it measures.
    public let kind: Kind
    /// What happened, oldest first.
    public internal(set) var events: [RecordedEvent] = []
    /// How many of them are samples.
    public internal(set) var sampleCount = 0

    /// A track that is empty yet.
    public init(name: ResourceName, kind: Kind) {
        self.name = name
        self.kind = kind
    }

    /// The samples, by their stamps.
    public var samples: [(offsetNanoseconds: Int64, measurement: Measurement)] {
        events.compactMap { event in
            guard case .sample(_, let measurement) = event.content else { return nil }
            return (event.stampNanoseconds, measurement)
        }
    }

    /// From one sample to the next as the recorder asked for it, else half of the samples were no further apart; nil where
    /// there is but one.
    var usualIntervalNanoseconds: Int64? {
        for case .interval(let nanoseconds, _) in events.lazy.map(\.content) { return nanoseconds }
        let spacings = spacings.sorted()
        return spacings.isEmpty ? nil : spacings[spacings.count / 2]
    }

    /// Whether the recorder asked for an interval.
    var isDecimated: Bool {
        for case .interval(_, let isDecimated) in events.lazy.map(\.content) { return isDecimated }
        return false
    }

    /// The shortest interval that somebody may ask for.
    var shortestIntervalNanoseconds: Int64 {
        min(spacings.min() ?? 1_000_000, usualIntervalNanoseconds ?? .max)
    }

    private var spacings: [Int64] {
        let stamps = samples.map(\.offsetNanoseconds)
        return zip(stamps, stamps.dropFirst()).map { $1 - $0 }.filter { $0 > 0 }
    }
}
