internal import Readings

/// The broker's grant for a request: adjusted to what the device can do, and never refused for being out of range.
///
/// There are two for each client, its own and its lane's: small fields stand where an optional leaves bytes unused.
public struct Grant: Hashable, Sendable {
    /// The most readings that one reply may gather, which bounds both memory and the size of a message.
    public static let readingsPerReply = 2_048

    /// One reading an interval; 0: every sample.
    public let intervalNanoseconds: Int64
    /// The longest interval at which a device may run for a tap of which something is derived; nil: a tap does not matter to it.
    private let derivedWishNanoseconds: Int64?
    /// Whether every sample was requested, at whatever rate the device runs: such a request does not set its rate.
    public let isTap: Bool
    /// What an interval's samples become.
    public let filter: Filter
    /// How long the device may hold samples back: as long as readings are gathered, or as what is derived from them may wait.
    let latencyNanoseconds: Int64
    /// How long readings are gathered into one reply; 0: not at all.
    public let batchNanoseconds: Int64
    /// The most readings that are gathered: some more than expected, since no device keeps its rate exactly; 0: none are.
    public let batchReadings: Int
    /// How much a reading must differ from the one delivered before, in metres or the kind's unit; nil: not at all.
    public let minimumChange: Double?
    /// Whether locations contain each satellite.
    public let hasSatellites: Bool
    /// Whether values of several samples are sent packed.
    public let isPacked: Bool
    /// Whether readings are sent through an `Alignment`, as those of a lead and its companions are.
    public let isAligned: Bool

    /// The grant for a request within a resource's limits, with a batch of no more readings than this.
    public init(
        _ request: Request, within limits: IntervalLimits, batchOf most: Int = Self.readingsPerReply
    ) {
        let asked = request.intervalNanoseconds ?? limits.defaultNanoseconds
        let interval =
            asked == 0 ? limits.tapNanoseconds : min(max(asked, limits.minimumNanoseconds), limits.maximumNanoseconds)
        let pace = max(interval, limits.minimumNanoseconds)
        let longest = pace.multipliedReportingOverflow(by: Int64(most))
        let longestBatch = min(longest.overflow ? .max : longest.partialValue, limits.maximumNanoseconds)
        // The lead would wait for a companion's batch.
        let batch = request.alignTo == nil ? min(max(request.batchNanoseconds ?? 0, 0), longestBatch) : 0
        self.init(
            request, held: interval, batchNanoseconds: batch,
            batchReadings: min(most, Self.readings(in: batch, every: pace)))
    }

    /// A grant that was made before, for the same request; the resource's limits may not be known yet.
    public init(_ request: Request, held intervalNanoseconds: Int64, batchNanoseconds: Int64, batchReadings: Int?) {
        isTap = request.intervalNanoseconds == 0
        derivedWishNanoseconds = nil
        self.intervalNanoseconds = intervalNanoseconds
        self.batchNanoseconds = batchNanoseconds
        latencyNanoseconds = batchNanoseconds
        self.batchReadings = batchReadings ?? Self.readings(in: batchNanoseconds, every: intervalNanoseconds)
        filter = request.filter ?? .newest
        hasSatellites = request.wantsSatellites
        isPacked = request.wantsPacked
        isAligned = request.isAligned
        minimumChange = Self.minimumChange(of: request)
    }

    /// Every sample, for what is derived from all of them, and the device at least this fast; it may hold samples back for a while.
    ///
    /// What is derived has limits of its own, so those of the resource for its clients do not apply.
    public init(tappingEvery nanoseconds: Int64, latencyNanoseconds: Int64) {
        self.latencyNanoseconds = latencyNanoseconds
        isTap = true
        derivedWishNanoseconds = nanoseconds
        intervalNanoseconds = 0
        batchNanoseconds = 0
        batchReadings = 0
        filter = .newest
        minimumChange = nil
        hasSatellites = false
        isPacked = false
        isAligned = false
    }

    private static func readings(in batchNanoseconds: Int64, every pace: Int64) -> Int {
        guard batchNanoseconds > 0 else { return 0 }
        let count = min(batchNanoseconds / max(1, pace), Int64(readingsPerReply))
        return min(Int(count + count / 4 + 2), readingsPerReply)
    }

    /// The requested change, else the usual one of the kind.
    ///
    /// There is none for a client that asks for every sample, nor for a companion, since readings that are left out cannot be
    /// interpolated.
    private static func minimumChange(of request: Request) -> Double? {
        let wantsAll = request.intervalNanoseconds == 0 || request.alignTo != nil
        let usual = wantsAll ? nil : Kind(resource: request.resource.word)?.row.usualChange
        return (request.minimumChange ?? usual).flatMap { $0 > 0 && $0.isFinite ? $0 : nil }
    }

    /// Whether all clients with this grant can share a lane: a minimum change is measured from the last reading of one client.
    public var isShared: Bool { minimumChange == nil }

    /// The smallest change of a kind that matters to its clients; nil if every sample does, as for a mean.
    ///
    /// Only of a kind whose readings hold until they change: of any other, a client that comes wants a new sample.
    func change(of kind: Kind) -> Double? {
        kind.row.reporting == .onChange && !isTap && filter == .newest ? minimumChange : nil
    }

    /// The longest sample interval that is sufficient: the granted one, or a tenth of it for a mean, which needs several samples.
    public func wish(within limits: IntervalLimits) -> Int64 {
        if let derivedWishNanoseconds { return derivedWishNanoseconds }
        if isTap { return limits.defaultNanoseconds }
        return filter == .mean ? max(intervalNanoseconds / 10, limits.minimumNanoseconds) : intervalNanoseconds
    }
}
