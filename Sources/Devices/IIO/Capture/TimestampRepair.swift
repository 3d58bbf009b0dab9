internal import Readings

/// Makes the stamps of a burst believable: increasing, not in the future, not long past.
///
/// All stamps of a burst are treated alike, since a mixture would put false steps inside it. If one of them cannot be
/// true, or there are none, all are spread back from the time of arrival, one period apart. An old stamp is judged by
/// the previous arrival and not by this one: samples that lay in the kernel while the daemon or the host slept are old,
/// and their stamps are true.
struct TimestampRepair {
    private var lastStamp: Int64 = .min
    private var lastArrival: Int64

    private static let slackNanoseconds: Int64 = 5_000_000
    private static let longPastNanoseconds: Int64 = 10_000_000_000

    /// For a device started at an instant.
    init(startedAt instant: Int64) { lastArrival = instant }

    /// Replaces stamps that cannot be true; returns whether the device's own were kept.
    mutating func repair(_ stamps: inout [Int64], stamped: Bool, arrival: Int64, period: Int64) -> Bool {
        let kept = stamped && areBelievable(stamps, arrival: arrival, period: period)
        if !kept { spread(&stamps, arrival: arrival, period: period) }
        assert(zip(stamps, stamps.dropFirst()).allSatisfy { $0 < $1 }, "stamps of a burst increase")
        let isAtEnd = lastStamp.addingSaturating(Int64(stamps.count)) == .max
        assert(isAtEnd || stamps.first.map { $0 > lastStamp } ?? true, "a burst follows the one before")
        lastStamp = stamps.last ?? lastStamp
        lastArrival = arrival
        return kept
    }

    private func areBelievable(_ stamps: [Int64], arrival: Int64, period: Int64) -> Bool {
        let latest = arrival.addingSaturating(period).addingSaturating(Self.slackNanoseconds)
        var previous = max(lastStamp, lastArrival.subtractingSaturating(Self.longPastNanoseconds))
        for stamp in stamps {
            guard stamp > previous, stamp <= latest else { return false }
            previous = stamp
        }
        return true
    }

    /// The last at the arrival, the others one period apart before it; closer if they would overlap the last burst.
    private func spread(_ stamps: inout [Int64], arrival: Int64, period: Int64) {
        let count = Int64(stamps.count)
        guard count > 0 else { return }
        let end = max(arrival, lastStamp.addingSaturating(count))
        let room = lastStamp == .min ? Int64.max : end.subtractingSaturating(lastStamp)
        let step = max(min(period, room / count), 1)
        assert(end >= arrival && step > 0)
        for index in stamps.indices {
            stamps[index] = end - (count - 1 - Int64(index)) * step
        }
    }
}
