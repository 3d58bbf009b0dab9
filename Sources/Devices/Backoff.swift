/// How long to wait before what failed is tried again: 0.25 s, doubling to two seconds or less, each ±20 %.
///
/// The jitter keeps many hosts, and several devices of one, from trying in step. The generator is handed in, so that the
/// same seed waits the same times.
public struct Backoff: Sendable {
    /// The first wait, before jitter.
    public static let firstNanoseconds: Int64 = 250_000_000
    /// The longest wait of a device, before jitter.
    ///
    /// Data are to flow within three seconds of the device's return, and a receiver's first reading may take two of them:
    /// one until it reports, one until the report is known to be whole. A try costs a connect or a look into sysfs, and is
    /// made only while somebody asks.
    public static let longestOfDeviceNanoseconds: Int64 = 500_000_000

    private let longestNanoseconds: Int64
    private var nextNanoseconds = firstNanoseconds

    /// Begins with the first wait.
    public init(longestNanoseconds: Int64 = 2_000_000_000) { self.longestNanoseconds = longestNanoseconds }

    /// The wait after one more failure.
    public mutating func next(using generator: inout some RandomNumberGenerator) -> Int64 {
        let base = nextNanoseconds
        nextNanoseconds = min(base * 2, longestNanoseconds)
        let jitter = base / 5
        return base + Int64.random(in: -jitter...jitter, using: &generator)
    }

    /// Begins again with the first wait: it works.
    public mutating func reset() { nextNanoseconds = Self.firstNanoseconds }
}
