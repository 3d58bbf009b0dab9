public import Readings

/// A time in which a device delivers nothing that clients would hear of.
public struct Interruption: Equatable, Sendable {
    /// The time of the last sample before.
    public var from: BootTime
    /// Why.
    public var cause: Gap.Cause

    /// An interruption that begins with the last sample.
    public init(from: BootTime, cause: Gap.Cause) {
        self.from = from
        self.cause = cause
    }
}
