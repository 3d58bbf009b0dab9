import Testing

@testable import IIO

@Suite struct BufferSizingTests {
    private let ms: Int64 = 1_000_000

    @Test(
        "a refill holds what the latency allows, one sample at least",
        arguments: [
            (10, 0, 1), (10, 9, 1), (10, 10, 1), (10, 25, 2), (10, 1000, 100), (1, 5000, 4096), (10, -5, 1),
        ] as [(Int64, Int64, Int)])
    func samples(interval: Int64, latency: Int64, samples: Int) {
        let sizing = BufferSizing(
            intervalNanoseconds: interval * ms, fastestNanoseconds: interval * ms, latencyNanoseconds: latency * ms)
        #expect(sizing.samples == samples)
    }

    @Test(
        "the kernel keeps half a second at the fastest rate",
        arguments: [
            (10, 1, 0), (1, 1, 0), (10, 10, 200), (1000, 1000, 0), (1, 1, 100),
        ] as [(Int64, Int64, Int64)])
    func keeps(interval: Int64, fastest: Int64, latency: Int64) {
        let sizing = BufferSizing(
            intervalNanoseconds: interval * ms, fastestNanoseconds: fastest * ms, latencyNanoseconds: latency * ms)
        #expect(Int64(sizing.samples * sizing.kernelBuffers) * fastest * ms >= 500 * ms)
        #expect(sizing.kernelBuffers >= 4)
    }

    @Test(
        "numbers from outside neither trap nor grow the buffer without bound", arguments: [Int64.min, -1, 0, 1, .max])
    func bounded(number: Int64) {
        let sizing = BufferSizing(
            intervalNanoseconds: number, fastestNanoseconds: number, latencyNanoseconds: .max)
        #expect((1...4096).contains(sizing.samples))
        #expect(sizing.samples * sizing.kernelBuffers <= 65536 + 4 * 4096)
    }
}
