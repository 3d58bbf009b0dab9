/// How long to wait before retrying something that failed: each wait is twice the one before, up to a maximum.
///
/// The usual waits are those for a device: 0.25 s, then half a second, since data must flow within three seconds of its
/// return, and the first reading of a receiver may take two of them, one until it reports and one until the report is known
/// to be complete. A retry costs a connect or a look into sysfs, and is made only while somebody asks for the device.
///
/// Jitter of ±20 % keeps the devices of many hosts, and several devices of one host, from retrying in step. The generator
/// is a parameter, so that the same seed gives the same waits.
public struct Backoff: Sendable {
    /// The first wait, before jitter.
    public static let firstNanoseconds: Int64 = 250_000_000
    /// The longest wait for a device, before jitter.
    public static let longestForDeviceNanoseconds: Int64 = 500_000_000

    private let firstNanoseconds: Int64
    private let longestNanoseconds: Int64
    private var nextNanoseconds: Int64

    /// Starts with the first wait.
    public init(
        firstNanoseconds: Int64 = Self.firstNanoseconds, longestNanoseconds: Int64 = longestForDeviceNanoseconds
    ) {
        precondition(firstNanoseconds > 0 && firstNanoseconds <= longestNanoseconds && longestNanoseconds < .max / 2)
        self.firstNanoseconds = firstNanoseconds
        self.longestNanoseconds = longestNanoseconds
        nextNanoseconds = firstNanoseconds
    }

    /// The wait after one more failure.
    public mutating func next() -> Int64 {
        defer { nextNanoseconds = min(nextNanoseconds * 2, longestNanoseconds) }
        return nextNanoseconds
    }

    /// The wait after one more failure, with jitter.
    public mutating func next(using generator: inout some RandomNumberGenerator) -> Int64 {
        let base = next()
        let jitter = base / 5
        return base + Int64.random(in: -jitter...jitter, using: &generator)
    }

    /// Starts again with the first wait, after a success.
    public mutating func reset() { nextNanoseconds = firstNanoseconds }
}
