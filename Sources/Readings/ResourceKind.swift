/// What a resource measures; the raw value is its name on the wire.
public enum ResourceKind: String, CaseIterable, Sendable {
    /// Position, speed and time of a receiver.
    case location
    /// Acceleration along three axes.
    case acceleration
    /// Which edge of the device is up.
    case orientation

    /// Whether a reading holds until the next one, which comes only where something has changed.
    public var tellsChangesOnly: Bool { self == .orientation }
}
