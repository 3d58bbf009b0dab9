public import Readings

/// What the device has to do for all its subscribers: the slowest of its rates that satisfies the fastest request.
///
/// Faster is at once, slower only after a dwell, so that clients which come and go do not make the chip flap: every change
/// of rate may cost samples.
public struct Arbitration: Equatable, Sendable {
    /// How long a lower rate has to be enough before it is set.
    public static let dwellNanoseconds: Int64 = 2_000_000_000

    /// What the device was last told; nil: nobody asks.
    public private(set) var demand: Demand?
    private var slowerSince: BootTime?

    /// Arbitration of a device that nobody asks.
    public init() {}

    /// Takes in what the subscribers wish now; returns whether the demand changed.
    ///
    /// A wish is a sample interval, and how long samples may be held back for it.
    public mutating func settle(_ wishes: [Demand], offered: OfferedIntervals?, now: BootTime) -> Bool {
        let wanted = Self.merge(wishes, offered)
        guard let wanted, let demand else {
            slowerSince = nil
            defer { self.demand = wanted }
            return self.demand != wanted
        }
        if wanted == demand {
            slowerSince = nil
            return false
        }
        if Self.isRelaxed(wanted, from: demand) {
            let since = slowerSince ?? now
            slowerSince = since
            guard now - since >= Self.dwellNanoseconds else { return false }
        }
        slowerSince = nil
        self.demand = wanted
        return true
    }

    /// When to settle again even if nobody comes or goes.
    public var deadline: BootTime? { slowerSince.map { $0 + Self.dwellNanoseconds } }

    private static func isRelaxed(_ wanted: Demand, from demand: Demand) -> Bool {
        (wanted.intervalNanoseconds ?? 0) >= (demand.intervalNanoseconds ?? 0)
            && wanted.latencyNanoseconds >= demand.latencyNanoseconds
    }

    private static func merge(_ wishes: [Demand], _ offered: OfferedIntervals?) -> Demand? {
        guard let latency = wishes.map(\.latencyNanoseconds).min() else { return nil }
        let fastest = wishes.compactMap(\.intervalNanoseconds).min()
        return Demand(
            intervalNanoseconds: fastest.flatMap { slowest(satisfying: $0, of: offered) }, latencyNanoseconds: latency)
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
