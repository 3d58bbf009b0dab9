/// What an interval's samples become; the raw value is its name on the wire.
public enum Filter: String, Sendable {
    /// The newest of them.
    case newest
    /// Their arithmetic mean.
    case mean
}
