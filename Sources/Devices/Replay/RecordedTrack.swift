public import Readings

/// The recording of one resource.
public struct RecordedTrack: Sendable {
    /// The resource's name.
    public let name: ResourceName
    /// The resource's kind.
    public let kind: Kind
    /// The resource's events, oldest first.
    var events: [RecordedEvent] = []
    /// The number of samples among them.
    public internal(set) var sampleCount = 0

    /// Creates an empty track.
    public init(name: ResourceName, kind: Kind) {
        self.name = name
        self.kind = kind
    }

    /// The samples with their timestamps.
    var samples: [(offsetNanoseconds: Int64, measurement: Measurement)] {
        events.compactMap { event in
            guard case .sample(_, let measurement) = event.content else { return nil }
            return (event.stampNanoseconds, measurement)
        }
    }

    /// The interval that the recorder asked for, else the median interval between samples; nil if there is only one
    /// sample.
    var usualIntervalNanoseconds: Int64? { usualPace.intervalNanoseconds }

    /// That interval, and whether the recorder asked for it.
    var usualPace: (intervalNanoseconds: Int64?, isDecimated: Bool) {
        for case .interval(let nanoseconds, let isDecimated) in events.lazy.map(\.content) {
            return (nanoseconds, isDecimated)
        }
        let spacings = spacings.sorted()
        return (spacings.isEmpty ? nil : spacings[spacings.count / 2], false)
    }

    /// The shortest interval that can be requested.
    var shortestIntervalNanoseconds: Int64 {
        min(spacings.min() ?? 1_000_000, usualIntervalNanoseconds ?? .max)
    }

    private var spacings: [Int64] {
        let stamps = samples.map(\.offsetNanoseconds)
        return zip(stamps, stamps.dropFirst()).map { $1 - $0 }.filter { $0 > 0 }
    }
}
