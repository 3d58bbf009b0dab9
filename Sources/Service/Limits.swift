/// What one client, or all of them, may use at most.
public enum Limits {
    /// Bytes of one call.
    public static let callBytes = 64 * 1_024
    /// Requests in one subscription.
    public static let requestsPerSubscription = 32
    /// Resources that are served; further ones that are found are not.
    public static let resources = 32
    /// How long a stream may be silent before an empty reply shows that it lives, in nanoseconds.
    public static let heartbeatNanoseconds: Int64 = 30_000_000_000
    /// How long a client may take nothing while there is something for it, in nanoseconds.
    public static let stuckNanoseconds: Int64 = 30_000_000_000
    /// How long accepting pauses when the process has no descriptors left, in nanoseconds.
    public static let acceptPauseNanoseconds: Int64 = 250_000_000
    /// How long a `Release` waits for devices to be let go, in nanoseconds.
    public static let releaseNanoseconds: Int64 = 5_000_000_000
    /// The longest for which devices are given up, in seconds: a year; longer is without end.
    public static let releaseSeconds: Int64 = 366 * 86_400
    /// How long a device's thread may be in its driver before its resource counts as unavailable, in nanoseconds: libiio
    /// and the kernel's HID drivers wait for five seconds, twice at the most.
    public static let hangNanoseconds: Int64 = 12_000_000_000
    /// The longest that a `Read` waits, in nanoseconds: a day.
    public static let readNanoseconds: Int64 = 86_400_000_000_000
}
