/// Lengths of time in nanoseconds, in which clocks, intervals and deadlines are counted.
public enum Nanoseconds {
    /// One second.
    public static let second: Int64 = 1_000_000_000
}
