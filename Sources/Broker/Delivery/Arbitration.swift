public import Readings

/// What a device must do for all subscribers of all its resources: run at the slowest of its rates that satisfies the fastest
/// request, and deliver every kind that is requested.
///
/// More is done at once, but less only after a while, so that clients that come and go do not make the chip flap: each
/// change of rate or kinds may cost samples.
public struct Arbitration: Equatable, Sendable {
    /// How long a lower rate must be sufficient before it is set.
    public static let dwellNanoseconds: Int64 = 2_000_000_000

    /// The demand that the device was given last; nil: nobody asks for it.
    public private(set) var demand: Demand?
    /// Whether somebody asks for it; cheaper than `demand != nil`, which copies and compares whole demands.
    public var isWanted: Bool { if case nil = demand { false } else { true } }
    /// Since when less would have been sufficient, and what would have been sufficient ever since.
    private var relaxation: Relaxation?

    private struct Relaxation: Equatable {
        let since: BootTime
        var enough: Demand
    }

    /// The arbitration for a device that nobody asks for.
    public init() {}

    /// Takes the present wishes of the subscribers; returns whether the demand changed.
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

    /// When to settle again, even if nobody comes or goes.
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

    /// A device that sets its own pace is not asked for one, so nothing is slower or faster.
    private static func areComparable(_ first: Demand, _ second: Demand) -> Bool {
        (first.intervalNanoseconds == nil) == (second.intervalNanoseconds == nil)
    }

    /// A demand that satisfies both.
    private static func stricter(_ first: Demand, _ second: Demand) -> Demand {
        Demand(
            intervalNanoseconds: first.intervalNanoseconds.flatMap { one in
                second.intervalNanoseconds.map { min(one, $0) }
            },
            latencyNanoseconds: min(first.latencyNanoseconds, second.latencyNanoseconds),
            kinds: first.kinds.union(second.kinds), changes: smallestChanges(of: [first, second]))
    }

    /// The smallest change of each quantity that matters to any of them, where no demand wants it sample by sample.
    private static func smallestChanges(of demands: [Demand]) -> [Quantity: Double] {
        var smallest: [Quantity: Double] = [:]
        for demand in demands { smallest.merge(demand.changes) { min($0, $1) } }
        return smallest.filter { quantity, _ in
            demands.allSatisfy { !$0.kinds.contains(quantity) || $0.changes[quantity] != nil }
        }
    }

    private static func merge(_ wishes: [Demand], _ offered: OfferedIntervals?) -> Demand? {
        guard let latency = wishes.map(\.latencyNanoseconds).min() else { return nil }
        let fastest = wishes.compactMap(\.intervalNanoseconds).min()
        let interval = fastest.flatMap { wish in offered.map { $0.slowest(satisfying: wish) } ?? wish }
        return Demand(
            intervalNanoseconds: interval, latencyNanoseconds: latency,
            kinds: wishes.reduce(into: []) { $0 = $0.union($1.kinds) }, changes: smallestChanges(of: wishes))
    }
}

extension OfferedIntervals {
    /// The slowest interval on offer that is no longer than a wish, else the fastest; nil: the device decides.
    package func slowest(satisfying wish: Int64) -> Int64? {
        switch self {
        case .discrete(let intervals): intervals.last { $0 <= wish } ?? intervals.first
        case .range(let shortest, let longest): min(max(wish, shortest), max(shortest, longest))
        case .fixed: nil
        }
    }
}
