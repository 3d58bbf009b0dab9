internal import Readings

/// What the broker made of a request: moved into what the device can do, never refused for being out of range.
public struct Grant: Hashable, Sendable {
    /// The most readings that one reply may gather, which bounds both memory and the size of a message.
    public static let readingsPerReply = 2_048

    /// One reading an interval; 0: every sample.
    public let intervalNanoseconds: Int64
    /// Whether every sample was asked for, whatever the device makes: such a wish does not drive it.
    public let isTap: Bool
    /// How long readings are gathered into one reply; 0: not at all.
    public let batchNanoseconds: Int64
    /// The most readings that are gathered: some more than should come, since no device keeps its pace; 0: none are.
    public let batchReadings: Int
    /// What an interval's samples become.
    public let filter: Filter
    /// Metres or m/s² that a reading must differ from the one delivered before; nil where any will do.
    public let minimumChange: Double?
    /// Whether locations tell each satellite.
    public let tellsSatellites: Bool
    /// Whether values of several samples are told packed.
    public let isPacked: Bool
    /// Whether readings go out through an `Alignment`, of the lead as of its companions.
    public let isAligned: Bool

    /// The grant for a request within a resource's limits, with a batch of no more readings than this.
    public init(
        _ request: Request, within limits: IntervalLimits, batchOf most: Int = Self.readingsPerReply
    ) {
        let asked = request.intervalNanoseconds ?? limits.defaultNanoseconds
        isTap = asked == 0
        intervalNanoseconds =
            isTap ? limits.tapNanoseconds : min(max(asked, limits.minimumNanoseconds), limits.maximumNanoseconds)
        let pace = max(intervalNanoseconds, limits.minimumNanoseconds)
        let longest = pace.multipliedReportingOverflow(by: Int64(most))
        let longestBatch = min(longest.overflow ? .max : longest.partialValue, limits.maximumNanoseconds)
        // The lead would wait for a companion's batch.
        batchNanoseconds = request.alignTo == nil ? min(max(request.batchNanoseconds ?? 0, 0), longestBatch) : 0
        batchReadings = min(most, Self.readings(in: batchNanoseconds, every: pace))
        filter = request.filter ?? .newest
        tellsSatellites = request.wantsSatellites
        isPacked = request.wantsPacked
        isAligned = request.isAligned
        minimumChange = Self.minimumChange(of: request)
    }

    /// A grant that was made before, for the same request; the resource's limits may not be known yet.
    public init(_ request: Request, held intervalNanoseconds: Int64, batchNanoseconds: Int64, batchReadings: Int?) {
        isTap = request.intervalNanoseconds == 0
        self.intervalNanoseconds = intervalNanoseconds
        self.batchNanoseconds = batchNanoseconds
        self.batchReadings = batchReadings ?? Self.readings(in: batchNanoseconds, every: intervalNanoseconds)
        filter = request.filter ?? .newest
        tellsSatellites = request.wantsSatellites
        isPacked = request.wantsPacked
        isAligned = request.isAligned
        minimumChange = Self.minimumChange(of: request)
    }

    private static func readings(in batchNanoseconds: Int64, every pace: Int64) -> Int {
        guard batchNanoseconds > 0 else { return 0 }
        let count = min(batchNanoseconds / max(1, pace), Int64(readingsPerReply))
        return min(Int(count + count / 4 + 2), readingsPerReply)
    }

    /// What was asked for, else what is usual for the kind; who asks for every sample wants every sample, and between readings
    /// that were left out nothing can be interpolated.
    private static func minimumChange(of request: Request) -> Double? {
        let wantsAll = request.intervalNanoseconds == 0 || request.alignTo != nil
        let usual = wantsAll ? nil : Kind(resource: request.resource.word)?.row.usualChange
        return (request.minimumChange ?? usual).flatMap { $0 > 0 && $0.isFinite ? $0 : nil }
    }

    /// Whether all who hold this grant can share a lane: a minimum change is measured from what one client got.
    public var isShared: Bool { minimumChange == nil }

    /// The sample interval with which the holder is content: its own, or a tenth for a mean, which of one sample is none.
    public func wish(within limits: IntervalLimits) -> Int64 {
        if isTap { return limits.defaultNanoseconds }
        return filter == .mean ? max(intervalNanoseconds / 10, limits.minimumNanoseconds) : intervalNanoseconds
    }
}
