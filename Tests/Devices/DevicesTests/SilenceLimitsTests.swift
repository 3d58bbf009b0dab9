import Readings
import Testing

@testable import Devices

@Suite struct SilenceLimitsTests {
    private static let second: Int64 = 1_000_000_000

    private static func limits(
        _ offered: OfferedIntervals, runs: Int64?, asked: Int64?, latency: Int64 = 0
    ) -> SilenceLimits {
        let profile = DeviceProfile(offered: offered, intervalNanoseconds: runs, description: nil, simulated: false)
        return SilenceLimits(
            profile: profile, demand: Demand(intervalNanoseconds: asked, latencyNanoseconds: latency))
    }

    @Test("a receiver at 1 Hz is stale after 3 s and given up after 30 s")
    func oncePerSecond() {
        let limits = Self.limits(.fixed(shortestNanoseconds: 100_000_000), runs: Self.second, asked: nil)
        #expect(limits.staleNanoseconds == 3 * Self.second)
        #expect(limits.firstNanoseconds == 10 * Self.second)
        #expect(limits.reopenNanoseconds == 30 * Self.second)
    }

    @Test("a fast device is given a second, five for the first reading, thirty before it is opened again")
    func floors() {
        let limits = Self.limits(.discrete([10_000_000]), runs: 10_000_000, asked: 10_000_000)
        #expect(limits.staleNanoseconds == Self.second)
        #expect(limits.firstNanoseconds == 5 * Self.second)
        #expect(limits.reopenNanoseconds == 30 * Self.second)
    }

    @Test("a device of unknown rate counts as running at the demand, one with its own rate at 1 Hz")
    func unknownPace() {
        let asked = 2 * Self.second
        #expect(Self.limits(.discrete([asked]), runs: nil, asked: asked).staleNanoseconds == 6 * Self.second)
        #expect(Self.limits(.discrete([asked]), runs: nil, asked: nil).staleNanoseconds == 3 * Self.second)
        let fixed = OfferedIntervals.fixed(shortestNanoseconds: 100_000_000)
        #expect(Self.limits(fixed, runs: nil, asked: 100_000_000).staleNanoseconds == 3 * Self.second)
    }

    @Test("the time for which the device may hold samples back is not silence")
    func latency() {
        let limits = Self.limits(.discrete([1]), runs: 10_000_000, asked: nil, latency: 5 * Self.second)
        #expect(limits.staleNanoseconds == 6 * Self.second)
    }

    @Test("a device that reports only changes may rest for longer than its interval")
    func resting() {
        var profile = DeviceProfile(
            offered: .discrete([200_000_000]), intervalNanoseconds: 200_000_000, description: nil, simulated: false)
        profile.restNanoseconds = 5 * Self.second
        let limits = SilenceLimits(profile: profile, demand: Demand(intervalNanoseconds: 200_000_000))
        #expect(limits.staleNanoseconds == 15 * Self.second)
    }

    @Test("absurd intervals are clamped", arguments: [Int64.max, Int64.max / 2, -1, 0] as [Int64])
    func absurd(interval: Int64) {
        let limits = Self.limits(.discrete([1]), runs: interval, asked: interval, latency: interval)
        #expect(limits.staleNanoseconds >= Self.second)
        #expect(limits.reopenNanoseconds >= limits.staleNanoseconds)
    }

    @Test("time spans as text")
    func words() {
        #expect(SilenceLimits.words(3 * Self.second) == "3 s")
        #expect(SilenceLimits.words(1_560_000_000) == "1.5 s")
        #expect(SilenceLimits.words(30 * Self.second) == "30 s")
    }
}
