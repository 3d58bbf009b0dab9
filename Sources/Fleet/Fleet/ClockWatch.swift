public import Spool
internal import Timing

/// Both clocks at one instant.
public struct ClockReading: Equatable, Sendable {
    /// The boot to which the first clock belongs.
    public let bootID: Identity
    /// The clocks.
    public let moment: Moment
    /// Whether the second one follows a reference; nil if that is unknown.
    public let isSynchronized: Bool?

    /// Both clocks at one instant.
    public init(bootID: Identity, moment: Moment, isSynchronized: Bool?) {
        self.bootID = bootID
        self.moment = moment
        self.isSynchronized = isSynchronized
    }
}

/// Decides when consumers have to be told the relation of the clocks again: after each step, and every five minutes.
public struct ClockWatch: Sendable {
    private var told: Moment
    private static let intervalNanoseconds = 300 * Nanoseconds.second
    private static let step: Int64 = 100_000

    /// The relation was told at an instant.
    public init(told: Moment) { self.told = told }

    /// Whether it has to be told now; then it counts as told.
    public mutating func isDue(_ now: Moment) -> Bool {
        let elapsed = now.bootNanoseconds.subtractingReportingOverflow(told.bootNanoseconds).partialValue
        let expected = told.utcMicroseconds.addingReportingOverflow(elapsed / 1_000).partialValue
        let (step, overflow) = now.utcMicroseconds.subtractingReportingOverflow(expected)
        guard overflow || step.magnitude > UInt64(Self.step) || elapsed >= Self.intervalNanoseconds else {
            return false
        }
        told = now
        return true
    }
}
