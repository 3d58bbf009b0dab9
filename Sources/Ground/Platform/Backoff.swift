/// How long to wait before retrying something that failed.
///
/// The first wait is 0.25 s, doubled after each failure up to a maximum; each wait varies by ±20 %.
///
/// The maximum for a device is half a second: data must flow within three seconds of its return, and the first reading
/// of a receiver may take two of them, one until it reports and one until the report is known to be complete. A retry
/// costs a connect or a look into sysfs, and is made only while somebody asks for the device.
///
/// The jitter keeps the devices of many hosts, and several devices of one host, from retrying in step. The generator is
/// a parameter, so that the same seed gives the same waits.
public struct Backoff: Sendable {
    /// The first wait, before jitter.
    public static let firstNanoseconds: Int64 = 250_000_000
    /// The longest wait for a device, before jitter.
    public static let longestForDeviceNanoseconds: Int64 = 500_000_000

    private let longestNanoseconds: Int64
    private var nextNanoseconds = firstNanoseconds

    /// Starts with the first wait.
    public init(longestNanoseconds: Int64 = longestForDeviceNanoseconds) {
        self.longestNanoseconds = longestNanoseconds
    }

    /// The wait after one more failure.
    public mutating func next(using generator: inout some RandomNumberGenerator) -> Int64 {
        let base = nextNanoseconds
        nextNanoseconds = min(base * 2, longestNanoseconds)
        assert(nextNanoseconds >= base || base > longestNanoseconds, "A wait is no shorter than the one before.")
        let jitter = base / 5
        return base + Int64.random(in: -jitter...jitter, using: &generator)
    }

    /// Starts again with the first wait: the device delivers.
    public mutating func reset() { nextNanoseconds = Self.firstNanoseconds }
}
