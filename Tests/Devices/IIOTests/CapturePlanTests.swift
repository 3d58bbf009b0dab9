import Testing

@testable import IIO

@Suite struct CapturePlanTests {
    @Test("a device is buffered unless it is slow and far away")
    func plans() {
        #expect(CapturePlan(isNetwork: false, intervalNanoseconds: 10_000_000_000) == .buffered)
        #expect(CapturePlan(isNetwork: true, intervalNanoseconds: 250_000_000) == .buffered)
        #expect(CapturePlan(isNetwork: true, intervalNanoseconds: 250_000_001) == .polled(.slow))
    }

    @Test("over the network no refill waits so long that it looks like a dead iiod")
    func latency() {
        #expect(CapturePlan.latency(1_000_000_000, isNetwork: true) == 250_000_000)
        #expect(CapturePlan.latency(0, isNetwork: true) == 5_000_000)
        #expect(CapturePlan.latency(0, isNetwork: false) == 0)
        #expect(CapturePlan.latency(1_000_000_000, isNetwork: false) == 1_000_000_000)
    }
}
