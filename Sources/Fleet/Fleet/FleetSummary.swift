package import Spool

/// What a consumer has of a host.
package struct HostSummary: Equatable, Sendable {
    package let host: String
    package let state: HostState?
    /// Whether it did not report its numbers, so that nobody knows what its end is.
    package let isSilent: Bool
    package let unreadable: UInt64
    package let isOverrun: Bool
    /// In the order of their beginnings, where the host's clock was right.
    package let epochs: [EpochSummary]

    /// How many numbers are missing and were not reported as lost.
    package var missing: UInt64 {
        epochs.flatMap(\.streams).flatMap(\.missing).reduce(0) { $0.adding($1) }
    }

    /// Whether it is not there, so that it could not be asked for what is missing.
    package var isAway: Bool { state == .lost || state == .offline }

    /// Whether it is known of each epoch where it ended, as far as anything of it is expected.
    package var isProved: Bool { epochs.allSatisfy(\.isProved) }

    /// Whether everything that is expected is there, or was reported as lost; the end of an epoch apart.
    package var hasAll: Bool { missing == 0 && !isOverrun && unreadable == 0 && !isSilent }

    /// Whether everything that is expected is there, or was reported as lost, and nothing else can have been.
    package var isComplete: Bool { hasAll && isProved }
}

/// What a consumer has of an epoch.
package struct EpochSummary: Equatable, Sendable {
    package let epoch: Identity
    /// Why the epoch began; nil if its first message did not come.
    package let beginning: BeginCause?
    package let streams: [StreamSummary]

    /// Whether it is known where it ended, as far as anything of it is expected.
    var isProved: Bool { streams.allSatisfy { $0.first == nil || $0.doubt == nil } }
}

/// What a consumer has of a stream in an epoch.
package struct StreamSummary: Equatable, Sendable {
    package let resource: String
    /// The number from which on each is expected; nil: none, since the epoch was over, or under way, before we came.
    package let first: UInt64?
    /// The newest number that there is.
    package let newest: UInt64
    package let arrived: UInt64
    /// How many messages came again.
    package let repeated: UInt64
    /// How many gaps of the broker were reported.
    package let gaps: UInt64
    package let losses: [LossSummary]
    /// What is missing and was not reported as lost.
    package let missing: [ClosedRange<UInt64>]
    /// Why the stream's end is not known; nil: it is.
    package let doubt: StreamDoubt?
}

/// Numbers that will never come, and why.
package struct LossSummary: Equatable, Sendable {
    package let cause: String
    package let numbers: ClosedRange<UInt64>
}
