internal import Delivery
internal import Readings

/// Whether the device is asked for the slowest rate that satisfies the fastest request, and for a slower one only after
/// the dwell.
struct ArbitrationAudit {
    private struct Wanted {
        let at: Int64
        let interval: Int64?
        let latency: Int64
        let kinds: KindSet
    }

    private let dwell: Int64 = 2_000_000_000
    /// After twice the dwell, each ended by a timer that may be late, former requests have no more effect.
    private let memory: Int64
    /// The rate that would have been sufficient, and since when; nil while nobody asked.
    private var history: [Wanted] = []
    private var former: Demand?
    private var offered: OfferedIntervals?
    private var since: Int64 = 0

    /// The requests for one resource.
    typealias Wishes = (kind: Kind, grants: [Grant], reads: Int)

    init(timerLateness: Int64) {
        memory = 2 * (dwell + timerLateness)
    }

    /// The host has slept: the dwell may be over, and nobody could act on it.
    mutating func sleep(until now: Int64) { since = now }

    /// Returns what is wrong after a turn.
    mutating func check(
        _ demand: Demand?, _ wishes: [Wishes], _ profile: DeviceProfile?, now: Int64
    ) -> String? {
        defer { former = demand }
        // Requests to a device of which less was known prove nothing.
        if profile?.offered != offered { (history, former, since) = ([], nil, now) }
        offered = profile?.offered
        guard let wanted = wanted(wishes, profile, now: now) else {
            history = []
            return demand.map { "\($0) though nobody asks" }
        }
        guard let demand else { return "nothing is asked of the device" }
        if history.last.map({
            $0.interval != wanted.interval || $0.latency != wanted.latency || $0.kinds != wanted.kinds
        })
            ?? true
        {
            history.append(wanted)
        }
        // Of older requests, the last one was valid until the window began.
        while history.count > 1, history[1].at <= now - memory { history.removeFirst() }
        if let fault = insufficient(demand, wanted) { return fault }
        return now - since < memory ? nil : excessive(demand, now) ?? hasty(demand, now)
    }

    private func insufficient(_ demand: Demand, _ wanted: Wanted) -> String? {
        if (demand.intervalNanoseconds == nil) != (wanted.interval == nil)
            || demand.intervalNanoseconds ?? 0 > wanted.interval ?? 0 || demand.latencyNanoseconds > wanted.latency
            || demand.kinds.union(wanted.kinds) != demand.kinds
        {
            return "\(demand) does not do for \(wanted)"
        }
        return nil
    }

    private func excessive(_ demand: Demand, _ now: Int64) -> String? {
        guard let least = least(since: now - memory) else { return nil }
        if demand.intervalNanoseconds ?? 0 < least.interval ?? 0 || demand.latencyNanoseconds < least.latency
            || least.kinds.union(demand.kinds) != least.kinds
        {
            return "\(demand) is more than any wish of late, \(least)"
        }
        return nil
    }

    private func hasty(_ demand: Demand, _ now: Int64) -> String? {
        guard let former, let least = least(since: now - dwell) else { return nil }
        let isSlower = demand.intervalNanoseconds ?? 0 > former.intervalNanoseconds ?? 0
        let isLater = demand.latencyNanoseconds > former.latencyNanoseconds
        if isSlower && demand.intervalNanoseconds ?? 0 > least.interval ?? 0
            || isLater && demand.latencyNanoseconds > least.latency
            || demand.kinds.union(former.kinds.intersection(least.kinds)) != demand.kinds
        {
            return "\(demand) after \(former) before the dwell was over"
        }
        return nil
    }

    /// The strictest request that was valid in a window.
    private func least(since: Int64) -> Wanted? {
        let valid = history.indices.filter { $0 == history.count - 1 || history[$0 + 1].at > since }.map { history[$0] }
        guard let last = valid.last, let latency = valid.map(\.latency).min() else { return nil }
        return Wanted(
            at: last.at, interval: valid.compactMap(\.interval).min(), latency: latency,
            kinds: valid.reduce(into: []) { $0 = $0.union($1.kinds) })
    }

    private func wanted(_ wishes: [Wishes], _ profile: DeviceProfile?, now: Int64) -> Wanted? {
        let shortest: Int64? =
            switch profile?.offered {
            case .discrete(let list): list.min()
            case .range(let shortest, _), .fixed(let shortest): shortest
            case nil: nil
            }
        var (intervals, latencies, kinds): ([Int64], [Int64], KindSet) = ([], [], [])
        for (kind, grants, reads) in wishes where !grants.isEmpty || reads > 0 {
            let least = shortest ?? (kind == .location ? 50_000_000 : 1_000_000)
            let standard = max(kind == .location ? 1_000_000_000 : 100_000_000, least)
            intervals += grants.map { grant in
                if grant.intervalNanoseconds == 0 { return standard }
                return grant.filter == .mean ? max(least, grant.intervalNanoseconds / 10) : grant.intervalNanoseconds
            }
            latencies += grants.map(\.batchNanoseconds)
            if reads > 0 {
                intervals.append(standard)
                latencies.append(0)
            }
            kinds.insert(kind)
        }
        guard let fastest = intervals.min(), let latency = latencies.min() else { return nil }
        return Wanted(at: now, interval: Self.offered(fastest, profile?.offered), latency: latency, kinds: kinds)
    }

    private static func offered(_ wish: Int64, _ offered: OfferedIntervals?) -> Int64? {
        switch offered {
        case .discrete(let list): list.filter { $0 <= wish }.max() ?? list.min()
        case .range(let shortest, let longest): wish < shortest ? shortest : (wish > longest ? longest : wish)
        case .fixed: nil
        case nil: wish
        }
    }
}
