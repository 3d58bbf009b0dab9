internal import Platform
internal import Readings

/// How long an open device may stay silent before that means something.
///
/// Counted in intervals, so that a slow device is not suspected too early nor a fast one too late; with a minimum,
/// because a busy host delays readings too. Time for which the demand lets the device hold readings back is not
/// silence.
struct SilenceLimits: Equatable {
    /// Stale if the first reading has not come for this long after opening.
    var firstNanoseconds: Int64
    /// Stale if no further reading has come for this long.
    var staleNanoseconds: Int64
    /// Closed and opened again if no reading has come for this long.
    var reopenNanoseconds: Int64

    init(profile: DeviceProfile, demand: Demand) {
        let interval = max(Self.interval(of: profile, under: demand), profile.restNanoseconds ?? 0)
        let latency = max(0, demand.latencyNanoseconds)
        func limit(_ intervals: Int64, floor: Int64) -> Int64 {
            let (product, overflow) = interval.multipliedReportingOverflow(by: intervals)
            let (sum, overflowed) = max(overflow ? .max : product, floor).addingReportingOverflow(latency)
            return overflowed ? .max : sum
        }
        firstNanoseconds = limit(10, floor: 5 * Nanoseconds.second)
        staleNanoseconds = limit(3, floor: Nanoseconds.second)
        reopenNanoseconds = max(limit(30, floor: 30 * Nanoseconds.second), firstNanoseconds)
        assert(staleNanoseconds >= Nanoseconds.second)
        assert(firstNanoseconds >= 5 * Nanoseconds.second)
        assert(reopenNanoseconds >= max(firstNanoseconds, staleNanoseconds), "stale comes before lost")
    }

    // A device that sets its own pace does not follow the demand: until its pace is known, once a second is assumed.
    private static func interval(of profile: DeviceProfile, under demand: Demand) -> Int64 {
        if let interval = profile.intervalNanoseconds, interval > 0 { return interval }
        if case .fixed(let shortest) = profile.offered { return max(shortest, Nanoseconds.second) }
        guard let interval = demand.intervalNanoseconds, interval > 0 else { return Nanoseconds.second }
        return interval
    }

    /// A length of time in words: `3 s`, `1.5 s`; tenths are cut off.
    static func words(_ nanoseconds: Int64) -> String {
        let tenths = nanoseconds / 100_000_000
        return tenths % 10 == 0 ? "\(tenths / 10) s" : "\(tenths / 10).\(tenths % 10) s"
    }
}
