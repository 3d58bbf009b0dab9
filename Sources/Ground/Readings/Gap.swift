/// Readings that a client should have received but did not.
public struct Gap: Equatable, Sendable {
    /// Why readings are missing; the raw value is its name on the wire.
    public enum Cause: String, CaseIterable, Sendable {
        /// The client read too slowly.
        case slowClient
        /// The buffer of the device, or the one after it, overflowed.
        case deviceOverflow
        /// The device was lost or failed.
        case deviceLost
        /// The device changed its interval or its configuration.
        case reconfigured
        /// The broker was restarted, or it crashed and systemd started it again.
        case restarted
        /// An administrator released the device.
        case released

        /// Whether the device was not running, which its state shows as well.
        public var isOutage: Bool {
            switch self {
            case .slowClient, .deviceOverflow: false
            case .deviceLost, .reconfigured, .restarted, .released: true
            }
        }
    }

    /// The cause.
    public var cause: Cause
    /// How many readings are missing, if that is known.
    public var count: Int?
    /// The first instant that is missing.
    public var from: BootTime
    /// The last instant that is missing.
    public var until: BootTime

    /// Creates a gap with a cause over a span of time.
    public init(cause: Cause, count: Int?, from: BootTime, until: BootTime) {
        self.cause = cause
        self.count = count
        self.from = from
        self.until = until
    }

    /// Reports another gap of the same cause as well: what is missing in both, over the span of both.
    package mutating func formUnion(_ other: Gap) {
        assert(cause == other.cause, "a gap has one cause")
        from = min(from, other.from)
        until = max(until, other.until)
        count = count.flatMap { first in other.count.map { first.addingSaturating($0) } }
    }
}
