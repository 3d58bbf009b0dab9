/// Readings that should have come and did not.
public struct Gap: Equatable, Sendable {
    /// Why readings are missing; the raw value is its name on the wire.
    public enum Cause: String, CaseIterable, Sendable {
        /// The client did not read fast enough.
        case slowClient
        /// The device's own buffer, or the one behind it, ran over.
        case deviceOverflow
        /// The device went away or failed.
        case deviceLost
        /// The device was set to another interval, or its configuration changed.
        case reconfigured
        /// The broker was restarted, or it crashed and systemd started it again.
        case restarted
        /// An administrator gave the device up.
        case released

        /// Whether the device was not running, which its state tells as well.
        public var isOutage: Bool {
            switch self {
            case .slowClient, .deviceOverflow: false
            case .deviceLost, .reconfigured, .restarted, .released: true
            }
        }
    }

    /// Why they are missing.
    public var cause: Cause
    /// How many are missing, where it is known.
    public var count: Int?
    /// First instant that is not covered.
    public var from: BootTime
    /// Last instant that is not covered.
    public var until: BootTime

    /// A gap of a cause over a span of time.
    public init(cause: Cause, count: Int?, from: BootTime, until: BootTime) {
        self.cause = cause
        self.count = count
        self.from = from
        self.until = until
    }
}
