/// What a reading is of the samples of its interval; the raw value is its name on the wire.
public enum SensorFilter: String, Hashable, Sendable {
    /// The newest one.
    case newest
    /// Their arithmetic mean, stamped at the mean time.
    case mean
}
