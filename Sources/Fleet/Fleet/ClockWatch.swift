public import Spool
internal import Timing

/// Both clocks at one instant.
public struct ClockReading: Equatable, Sendable {
    /// The boot to which the first clock belongs.
    public let bootID: Identity
    /// The clocks.
    public let moment: Moment

    /// Both clocks at one instant.
    public init(bootID: Identity, moment: Moment) { (self.bootID, self.moment) = (bootID, moment) }
}

/// Decides when the relation of the clocks has to be sent to consumers again: after each step, and every five minutes.
public struct ClockWatch: Sendable {
    private var sent: Moment
    private static let intervalNanoseconds = 300 * Nanoseconds.second
    private static let step: Int64 = 100_000

    /// The relation was sent at an instant.
    public init(sent: Moment) { self.sent = sent }

    /// Whether it has to be sent now; then it counts as sent.
    public mutating func isDue(_ now: Moment) -> Bool {
        let elapsed = now.bootNanoseconds.subtractingReportingOverflow(sent.bootNanoseconds).partialValue
        let expected = sent.utcMicroseconds.addingReportingOverflow(elapsed / 1_000).partialValue
        let (step, overflow) = now.utcMicroseconds.subtractingReportingOverflow(expected)
        guard overflow || step.magnitude > UInt64(Self.step) || elapsed >= Self.intervalNanoseconds else {
            return false
        }
        sent = now
        return true
    }
}
