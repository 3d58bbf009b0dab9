/// How long to wait before something that failed is tried again: 0.25 s, doubling to a longest wait, each ±20 %.
///
/// A device's is half a second: data are to flow within three seconds of its return, and a receiver's first reading may take
/// two of them, one until it reports and one until the report is known to be whole. A try costs a connect or a look into
/// sysfs, and is made only while somebody asks.
///
/// The jitter keeps the devices of many hosts, and several devices of one, from trying in step. The generator is handed
/// in, so that the same seed waits the same times.
public struct Backoff: Sendable {
    /// The first wait, before jitter.
    public static let firstNanoseconds: Int64 = 250_000_000
    /// The longest wait for a device, before jitter.
    public static let longestForDeviceNanoseconds: Int64 = 500_000_000

    private let longestNanoseconds: Int64
    private var nextNanoseconds = firstNanoseconds

    /// Begins with the first wait.
    public init(longestNanoseconds: Int64 = longestForDeviceNanoseconds) {
        self.longestNanoseconds = longestNanoseconds
    }

    /// The wait after one more failure.
    public mutating func next(using generator: inout some RandomNumberGenerator) -> Int64 {
        let base = nextNanoseconds
        nextNanoseconds = min(base * 2, longestNanoseconds)
        let jitter = base / 5
        return base + Int64.random(in: -jitter...jitter, using: &generator)
    }

    /// Begins again with the first wait: the device delivers.
    public mutating func reset() { nextNanoseconds = Self.firstNanoseconds }
}
