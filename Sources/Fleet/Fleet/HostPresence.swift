internal import Spool

/// What shows that a host is there, and for how long it can answer.
package struct HostPresence: Equatable, Sendable {
    /// The newest state that it, or the server, reported.
    package private(set) var state: HostState?
    /// Counts what came of it.
    package private(set) var signs: UInt64 = 0
    /// Counts how often it came online.
    package private(set) var connections: UInt64 = 0
    /// For how long it keeps what has arrived; nil: it does not report it.
    package private(set) var keepsNanoseconds: Int64?
    private var epoch: Identity?

    /// Nothing came yet.
    init() {}

    /// It, or the server, reports its state.
    mutating func take(_ report: HostReport) {
        if report.state == .online {
            if state != .online || report.epoch != epoch { connections &+= 1 }
            signs &+= 1
        }
        (state, epoch) = (report.state, report.epoch)
        keepsNanoseconds = report.keepsNanoseconds ?? keepsNanoseconds
    }

    /// A message came.
    mutating func countMessage() { signs &+= 1 }
}
