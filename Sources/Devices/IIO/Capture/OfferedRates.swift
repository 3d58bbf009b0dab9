internal import Readings

/// The rates at which a chip can sample, as listed in `sampling_frequency_available`.
enum OfferedRates: Equatable {
    /// These rates and no others; ascending, not empty.
    case list([SamplingRate])
    /// From a slowest to a fastest rate, in steps from the slowest; a step of 0 means any rate between.
    case range(slowest: SamplingRate, stepHertz: Double, fastest: SamplingRate)
    /// The driver takes any rate and makes the best of it, as the drivers of HID sensors do.
    case unlisted

    /// HID sensors count their interval in whole milliseconds, and other chips without a list are no faster.
    static let unlistedNanoseconds: ClosedRange<Int64> = 1_000_000...10_000_000_000

    /// Reads a list such as `0 2 4 8`, in any order, where 0 means off, or a range, `[slowest step fastest]`; nil for
    /// anything else.
    init?(text: String) {
        let text = text.drop { $0.isWhitespace }
        let words = text.filter { $0 != "[" && $0 != "]" }.split(whereSeparator: \.isWhitespace)
        if text.hasPrefix("[") {
            guard words.count == 3, let step = Double(words[1]), step.isFinite, step >= 0,
                let fastest = SamplingRate(text: words[2]),
                // A range may begin at 0, which means off: its first rate is one step up.
                let slowest = SamplingRate(text: words[0]) ?? SamplingRate(hertz: step), slowest <= fastest
            else { return nil }
            self = .range(slowest: slowest, stepHertz: step, fastest: fastest)
        } else {
            let rates = Set(words.compactMap { SamplingRate(text: $0)?.hertz }).sorted().compactMap(SamplingRate.init)
            guard !rates.isEmpty else { return nil }
            self = .list(rates)
        }
    }

    /// The slowest rate whose interval is no longer than the wanted one; the fastest if there is none.
    func slowest(satisfying intervalNanoseconds: Int64) -> SamplingRate {
        let wanted = SamplingRate(intervalNanoseconds: intervalNanoseconds)
        switch self {
        case .list(let rates):
            // Compared as intervals, which is what clients see: a rate of 33.333 Hz satisfies its own rounded interval.
            return rates.first { $0.intervalNanoseconds <= intervalNanoseconds } ?? rates.last ?? wanted
        case .range(let slowest, let step, let fastest):
            guard wanted > slowest else { return slowest }
            guard step > 0 else { return min(wanted, fastest) }
            let steps = ((wanted.hertz - slowest.hertz) / step - 1e-6).rounded(.up)
            return SamplingRate(hertz: slowest.hertz + steps * step).map { min($0, fastest) } ?? fastest
        case .unlisted:
            let interval = intervalNanoseconds.clamped(to: Self.unlistedNanoseconds)
            return SamplingRate(intervalNanoseconds: interval)
        }
    }

    /// The intervals of scans in which each kind has rates of its own; nil if no kind has any.
    ///
    /// Each kind is set to the slowest rate that satisfies the request, and a scan is as slow as the slowest of them.
    static func intervals(of all: [Self]) -> OfferedIntervals? {
        guard let first = all.first, all.count > 1 else { return all.first?.intervals }
        var wishes: Set<Int64> = []
        for rates in all {
            guard case .list(let list) = rates else { return widest(all.map(\.intervals), first.intervals) }
            wishes.formUnion(list.map(\.intervalNanoseconds))
        }
        let scans = wishes.map { wish in all.map { $0.slowest(satisfying: wish).intervalNanoseconds }.max() ?? wish }
        return .discrete(Set(scans).sorted())
    }

    /// Roughly what several ranges have in common; the actual rate is read back after it is set.
    private static func widest(_ all: [OfferedIntervals], _ first: OfferedIntervals) -> OfferedIntervals {
        let shortest = all.map(\.shortestNanoseconds).max() ?? first.shortestNanoseconds
        let longest = all.map(\.longestNanoseconds).max() ?? shortest
        return .range(shortestNanoseconds: shortest, longestNanoseconds: max(shortest, longest))
    }

    /// The same rates as intervals.
    var intervals: OfferedIntervals {
        switch self {
        case .list(let rates):
            .discrete(rates.reversed().map(\.intervalNanoseconds))
        case .range(let slowest, _, let fastest):
            .range(
                shortestNanoseconds: fastest.intervalNanoseconds, longestNanoseconds: slowest.intervalNanoseconds)
        case .unlisted:
            .range(
                shortestNanoseconds: Self.unlistedNanoseconds.lowerBound,
                longestNanoseconds: Self.unlistedNanoseconds.upperBound)
        }
    }
}

extension OfferedIntervals {
    fileprivate var longestNanoseconds: Int64 {
        switch self {
        case .discrete(let intervals): intervals.last ?? shortestNanoseconds
        case .range(_, let longest): longest
        case .fixed(let shortest): shortest
        }
    }
}
