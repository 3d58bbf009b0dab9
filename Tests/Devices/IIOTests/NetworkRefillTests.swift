import Testing

@testable import IIO

@Suite struct NetworkRefillTests {
    @Test("a device that is far away is buffered unless it is slow")
    func tooSlow() {
        #expect(!NetworkRefill.isTooSlow(250_000_000))
        #expect(NetworkRefill.isTooSlow(250_000_001))
    }

    @Test("over the network no refill waits so long that it looks like a dead iiod")
    func latency() {
        func latency(_ wanted: Int64, _ interval: Int64, _ roundTrip: Int64?) -> Int64 {
            NetworkRefill.latency(wanted, intervalNanoseconds: interval, roundTripNanoseconds: roundTrip)
        }
        #expect(latency(1_000_000_000, 1_000_000, 1_000_000) == 250_000_000)
        #expect(latency(0, 1_000_000, 1_000_000) == 5_000_000)
        #expect(latency(0, 40_000_000, 100_000_000) == 140_000_000)
        #expect(latency(0, 40_000_000, 900_000_000) == 250_000_000)
        #expect(latency(0, .max, 1_000_000) == 250_000_000)
        #expect(latency(0, 1_000_000, nil) == 0)
        #expect(latency(1_000_000_000, 1_000_000, nil) == 1_000_000_000)
    }
}
