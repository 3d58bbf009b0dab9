public import Readings

/// What a device has to do for all subscribers of all its resources: the slowest of its rates that satisfies the fastest
/// request, and all the kinds that somebody asks for.
///
/// More is at once, less only after a dwell, so that clients which come and go do not make the chip flap: every change of
/// rate or of kinds may cost samples.
public struct Arbitration: Equatable, Sendable {
    /// How long a lower rate has to be enough before it is set.
    public static let dwellNanoseconds: Int64 = 2_000_000_000

    /// What the device was last told; nil: nobody asks.
    public private(set) var demand: Demand?
    /// Less would do since then, and this at all times since.
    private var relaxation: Relaxation?

    private struct Relaxation: Equatable {
        let since: BootTime
        var enough: Demand
    }

    /// Arbitration of a device that nobody asks.
    public init() {}

    /// Takes in what the subscribers wish now; returns whether the demand changed.
    ///
    /// A wish is a sample interval, how long samples may be held back for it, and a kind.
    public mutating func settle(_ wishes: [Demand], offered: OfferedIntervals?, now: BootTime) -> Bool {
        let former = demand
        if let wanted = Self.merge(wishes, offered), let former, Self.areComparable(wanted, former) {
            settle(wanted, former, now)
        } else {
            relaxation = nil
            demand = Self.merge(wishes, offered)
        }
        return demand != former
    }

    /// When to settle again even if nobody comes or goes.
    public var deadline: BootTime? { relaxation.map { $0.since + Self.dwellNanoseconds } }

    private mutating func settle(_ wanted: Demand, _ former: Demand, _ now: BootTime) {
        let stricter = Self.stricter(wanted, former)
        demand = stricter
        guard wanted != stricter else {
            relaxation = nil
            return
        }
        var relaxation = relaxation ?? Relaxation(since: now, enough: wanted)
        relaxation.enough = Self.stricter(relaxation.enough, wanted)
        self.relaxation = relaxation
        guard now - relaxation.since >= Self.dwellNanoseconds else { return }
        demand = relaxation.enough
        self.relaxation = relaxation.enough == wanted ? nil : Relaxation(since: now, enough: wanted)
    }

    /// A device that sets its own pace is asked for none: then there is no slower or faster.
    private static func areComparable(_ first: Demand, _ second: Demand) -> Bool {
        (first.intervalNanoseconds == nil) == (second.intervalNanoseconds == nil)
    }

    /// What satisfies both.
    private static func stricter(_ first: Demand, _ second: Demand) -> Demand {
        Demand(
            intervalNanoseconds: first.intervalNanoseconds.flatMap { one in
                second.intervalNanoseconds.map { min(one, $0) }
            },
            latencyNanoseconds: min(first.latencyNanoseconds, second.latencyNanoseconds),
            kinds: first.kinds.union(second.kinds))
    }

    private static func merge(_ wishes: [Demand], _ offered: OfferedIntervals?) -> Demand? {
        guard let latency = wishes.map(\.latencyNanoseconds).min() else { return nil }
        let fastest = wishes.compactMap(\.intervalNanoseconds).min()
        return Demand(
            intervalNanoseconds: fastest.flatMap { slowest(satisfying: $0, of: offered) }, latencyNanoseconds: latency,
            kinds: wishes.reduce(into: []) { $0 = $0.union($1.kinds) })
    }

    /// The slowest interval on offer that is no longer than the wish; the fastest where the wish is beyond the device.
    static func slowest(satisfying wish: Int64, of offered: OfferedIntervals?) -> Int64? {
        switch offered {
        case .discrete(let intervals): intervals.last { $0 <= wish } ?? intervals.first
        case .range(let shortest, let longest): min(max(wish, shortest), max(shortest, longest))
        case .fixed: nil
        case nil: wish
        }
    }
}
