public import Spool

/// What a consumer has of a host.
public struct HostSummary: Equatable, Sendable {
    /// The host.
    public let host: String
    /// The newest state.
    public let state: HostState?
    /// Whether it did not report its numbers, so that nobody knows what its end is.
    public let isSilent: Bool
    /// Messages that could not be read.
    public let unreadable: UInt64
    /// Whether more came than could be kept account of.
    public let isOverrun: Bool
    /// The epochs, in the order of their beginnings, where the host's clock was right.
    public let epochs: [EpochSummary]

    /// How many numbers are missing and were not reported as lost.
    public var missing: UInt64 {
        epochs.flatMap(\.streams).flatMap(\.missing).reduce(0) { $0.adding($1) }
    }

    /// Whether it is not there, so that it could not be asked for what is missing.
    public var isAway: Bool { state == .lost || state == .offline }

    /// Whether it is known of each epoch where it ended, as far as anything of it is expected.
    public var isProved: Bool { epochs.allSatisfy(\.isProved) }

    /// Whether everything that is expected is there, or was reported as lost; the end of an epoch apart.
    public var hasAll: Bool { missing == 0 && !isOverrun && unreadable == 0 && !isSilent }

    /// Whether everything that is expected is there, or was reported as lost, and nothing else can have been.
    public var isComplete: Bool { hasAll && isProved }
}

/// What a consumer has of an epoch.
public struct EpochSummary: Equatable, Sendable {
    /// The epoch.
    public let epoch: Identity
    /// Why the epoch began; nil if its first message did not come.
    public let beginning: BeginCause?
    /// The epoch's streams, by name.
    public let streams: [StreamSummary]

    /// Whether it is known where it ended, as far as anything of it is expected.
    var isProved: Bool { streams.allSatisfy { $0.first == nil || $0.doubt == nil } }
}

/// What a consumer has of a stream in an epoch.
public struct StreamSummary: Equatable, Sendable {
    /// The resource.
    public let resource: String
    /// The number from which on each is expected; nil: none, since the epoch was over, or under way, before we came.
    public let first: UInt64?
    /// The newest number that there is.
    public let newest: UInt64
    /// How many numbers arrived.
    public let arrived: UInt64
    /// How many messages came again.
    public let repeated: UInt64
    /// How many gaps of the broker were reported.
    public let gaps: UInt64
    /// What was reported as lost.
    public let losses: [LossSummary]
    /// What is missing and was not reported as lost.
    public let missing: [ClosedRange<UInt64>]
    /// Why the stream's end is not known; nil: it is.
    public let doubt: StreamDoubt?
}

/// Numbers that will never come, and why.
public struct LossSummary: Equatable, Sendable {
    /// The cause.
    public let cause: String
    /// The numbers.
    public let numbers: ClosedRange<UInt64>
}
