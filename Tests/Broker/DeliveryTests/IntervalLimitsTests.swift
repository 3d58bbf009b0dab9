import Readings
import Testing

@testable import Delivery

@Suite("The intervals that are granted") struct IntervalLimitsTests {
    private static let millisecond: Int64 = 1_000_000

    private func limits(minimum: Int64? = nil, standard: Int64? = nil, device: Int64? = 5) -> IntervalLimits {
        IntervalLimits(
            kind: .acceleration, offered: device.map { .discrete([$0 * Self.millisecond]) },
            policy: IntervalPolicy(
                minimumNanoseconds: minimum.map { $0 * Self.millisecond },
                defaultNanoseconds: standard.map { $0 * Self.millisecond }))
    }

    private func grant(_ interval: Int64?, _ limits: IntervalLimits) -> Grant {
        var request = Request(resource: .accelerometer)
        request.intervalNanoseconds = interval.map { $0 * Self.millisecond }
        return Grant(request, within: limits)
    }

    @Test("are the device's if nothing is configured")
    func unconfigured() {
        #expect(limits().minimumNanoseconds == 5_000_000)
        #expect(limits().defaultNanoseconds == 100_000_000)
        #expect(grant(0, limits()).intervalNanoseconds == 0)
    }

    @Test("are never shorter than allowed, nor than the device's shortest")
    func minimum() {
        #expect(grant(1, limits(minimum: 20)).intervalNanoseconds == 20_000_000)
        #expect(grant(1, limits(minimum: 2)).intervalNanoseconds == 5_000_000)
        #expect(grant(1, limits(minimum: 20, device: nil)).intervalNanoseconds == 20_000_000)
        #expect(grant(nil, limits(minimum: 200)).intervalNanoseconds == 200_000_000)
    }

    @Test("have a configurable default, clamped to the limits")
    func standard() {
        #expect(grant(nil, limits(standard: 40)).intervalNanoseconds == 40_000_000)
        #expect(grant(nil, limits(standard: 1)).intervalNanoseconds == 5_000_000)
    }

    @Test("also limit clients that take every sample, which still does not speed up the device")
    func tap() {
        let limits = limits(minimum: 20, standard: 50)
        #expect(grant(0, limits).intervalNanoseconds == 20_000_000)
        #expect(grant(0, limits).wish(within: limits) == 50_000_000)
        #expect(grant(20, limits).wish(within: limits) == 20_000_000)
        // A minimum that the device cannot break anyhow changes nothing.
        #expect(grant(0, self.limits(minimum: 5)).intervalNanoseconds == 0)
    }

    @Test("are raised for a client that may not read fast, also for every sample if the device may be faster")
    func raised() {
        let fast = limits(standard: 2, device: 1).raised(to: 5_000_000)
        #expect(fast.minimumNanoseconds == 5_000_000)
        #expect(fast.tapNanoseconds == 5_000_000)
        #expect(fast.defaultNanoseconds == 5_000_000)
        #expect(fast.raised(to: 0) == fast)
        let slow = limits(device: 10)
        #expect(slow.raised(to: 5_000_000) == slow)
    }
}
