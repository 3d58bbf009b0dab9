internal import Readings

/// How many samples to read at once, and how many the kernel keeps meanwhile.
///
/// libiio sets the watermark to `samples` and the length of the kernel's buffer to `samples × kernelBuffers`. A buffer
/// that overflows keeps its oldest samples and drops the newest, so it is sized to outlast a stall of half a second.
struct BufferSizing: Equatable {
    /// Samples per refill; also the watermark.
    let samples: Int
    let kernelBuffers: Int

    static let survivedStallNanoseconds: Int64 = 500_000_000
    static let mostSamples = 4096
    static let mostKernelSamples = 65536

    /// Sized so that a refill waits no longer than the latency at this interval, and so that the buffer survives a
    /// stall even at the fastest interval: then a change of rate alone needs no new buffer.
    init(intervalNanoseconds: Int64, fastestNanoseconds: Int64, latencyNanoseconds: Int64) {
        let interval = max(intervalNanoseconds, 1)
        samples = Int(clamping: max(latencyNanoseconds, 0) / interval).clamped(to: 1...Self.mostSamples)
        let fastest = max(min(fastestNanoseconds, interval), 1)
        let kept = Int(clamping: Self.survivedStallNanoseconds / fastest + 1).clamped(to: 1...Self.mostKernelSamples)
        kernelBuffers = max(4, (kept + samples - 1) / samples)
        assert((1...Self.mostSamples).contains(samples))
        assert(kernelBuffers >= 4 && samples * kernelBuffers >= kept, "a stall is survived")
    }
}

extension BufferSizing {
    /// The size for a device at a pace, with the latency that its users allow.
    init(_ pace: Pace, _ session: borrowing Session, _ demand: Demand) {
        let fastest = session.sensor.shortestNanoseconds ?? pace.intervalNanoseconds
        self.init(
            intervalNanoseconds: pace.intervalNanoseconds, fastestNanoseconds: fastest,
            latencyNanoseconds: NetworkRefill.latency(
                demand.latencyNanoseconds, intervalNanoseconds: pace.intervalNanoseconds,
                roundTripNanoseconds: session.roundTripNanoseconds))
    }

    func refillNanoseconds(at pace: Pace) -> Int64 {
        pace.intervalNanoseconds.multipliedReportingOverflow(by: Int64(samples)).partialValue
    }
}
