internal import Readings

/// Turns another host's stamps into this host's time, knowing nothing of that host's clock.
///
/// A sample arrives after it was measured, so `arrival - stamp` is the offset of the clocks plus a delay that is never
/// negative: the minimum is closest to the offset. The minimum may rise by 200 ppm, to follow a clock that is slower
/// than ours. A difference that stays more than a second above it for ten seconds is no delay: the other clock was set
/// back.
struct RemoteClock {
    /// The best one that is known.
    private var offset: Int64?
    /// The one that the last stamps got, which follows the best one upwards in steps.
    private var applied: Int64?
    private var lastArrival: Int64 = 0
    private var lateSince: Int64?

    /// A smaller rise is nothing beside a delay, and would make even steps uneven.
    ///
    /// A clock that is faster than ours still does that: its offset falls.
    private static let worthRisingNanoseconds: Int64 = 10_000
    private static let riseDivisor: Int64 = 5000
    private static let lateNanoseconds: Int64 = 1_000_000_000
    private static let patienceNanoseconds: Int64 = 10_000_000_000

    /// Turns the stamps of a burst into this host's time.
    ///
    /// A change of the offset is spread over the burst, unless the burst is too short for that: at a fast rate it would look like a
    /// lost sample, or like a step back. Returns how far the first stamp is moved because a delay was found to be shorter; a clock
    /// that was set is another matter.
    mutating func translate(_ stamps: inout [Int64], arrival: Int64) -> Int64 {
        guard let last = stamps.last else { return 0 }
        let offset = offset(lastStamp: last, arrival: arrival)
        let former = applied ?? offset
        let change = offset.subtractingSaturating(former)
        // Down at once: no sample is newer than its arrival.
        guard change < 0 || change >= Self.worthRisingNanoseconds else {
            applied = former
            add(former, to: &stamps)
            return 0
        }
        applied = offset
        // From the sample before the burst, if none is missing between: a hole is not part of it.
        let inner = last.subtractingSaturating(stamps[0])
        let span = stamps.count > 1 ? inner.addingSaturating(inner / Int64(stamps.count - 1)) : 0
        guard change.magnitude <= max(span, 0).magnitude / 2 else {
            add(offset, to: &stamps)
            return change.magnitude > Self.lateNanoseconds ? 0 : change
        }
        return spread(change, from: former, over: &stamps)
    }

    private func add(_ offset: Int64, to stamps: inout [Int64]) {
        for index in stamps.indices { stamps[index] = stamps[index].addingSaturating(offset) }
    }

    /// Adds an offset that changes by as much at each stamp; returns by how much.
    private func spread(_ change: Int64, from former: Int64, over stamps: inout [Int64]) -> Int64 {
        let count = Int64(stamps.count)
        let (each, rest) = change.quotientAndRemainder(dividingBy: count)
        // The remainder is spread as well, a nanosecond where its sum is one.
        var (added, sum) = (former, 0 as Int64)
        for index in stamps.indices {
            added = added.addingSaturating(each)
            sum += rest
            if sum.magnitude >= count.magnitude {
                added = added.addingSaturating(change.signum())
                sum -= count * change.signum()
            }
            stamps[index] = stamps[index].addingSaturating(added)
        }
        assert(sum == 0, "all of it has been spread")
        return each
    }

    /// What to add to the stamps of a burst, given its last stamp and the time of its arrival on this host.
    mutating func offset(lastStamp: Int64, arrival: Int64) -> Int64 {
        let seen = arrival.subtractingSaturating(lastStamp)
        let elapsed = max(arrival.subtractingSaturating(lastArrival), 0)
        lastArrival = arrival
        guard let old = offset, !wasSetBack(seen: seen, offset: old, arrival: arrival) else {
            offset = seen
            lateSince = nil
            return seen
        }
        let best = min(old.addingSaturating(elapsed / Self.riseDivisor), seen)
        offset = best
        return best
    }

    private mutating func wasSetBack(seen: Int64, offset: Int64, arrival: Int64) -> Bool {
        guard seen.subtractingSaturating(offset) > Self.lateNanoseconds else {
            lateSince = nil
            return false
        }
        let since = lateSince ?? arrival
        lateSince = since
        return arrival.subtractingSaturating(since) > Self.patienceNanoseconds
    }
}
