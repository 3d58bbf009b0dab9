/// What a resource measures; the raw value is its name on the wire.
public enum ResourceKind: String, CaseIterable, Sendable {
    /// Position, speed and time of a receiver.
    case location
    /// Acceleration along three axes.
    case acceleration
}
