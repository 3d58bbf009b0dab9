internal import Readings

/// What the device really did since it was opened: the samples that arrived, and those lost between them.
struct Truth {
    /// A sample, with the instant and the turn of its arrival, and its distance from the arrival or loss before it.
    struct Arrival {
        let sample: Sample
        let at: Int64
        let turn: Int
        let spacing: Int64?
        let followsGap: Bool
        var stamp: Int64 { sample.timestamp.nanoseconds }
    }

    private(set) var arrivals: [Arrival] = []
    private(set) var opening = 0
    /// Whether the device is open, so that its newest sample may be served.
    private(set) var isServing = false
    private(set) var period: Int64 = 0
    /// The former period, and until when it held.
    private var former: [(period: Int64, until: Int64)] = []
    private var gapUntil: Int64?
    /// The device did not run for a while, and does since then: no change is measured from what was before.
    var outageEnd = Int64.min

    mutating func add(_ sample: Sample, at now: Int64, turn: Int) {
        let before = [arrivals.last?.stamp, gapUntil].compactMap(\.self).max()
        arrivals.append(
            Arrival(
                sample: sample, at: now, turn: turn, spacing: before.map { sample.timestamp.nanoseconds - $0 },
                followsGap: gapUntil != nil))
        gapUntil = nil
        isServing = true
    }

    mutating func add(_ gap: Gap) { gapUntil = gap.until.nanoseconds }

    mutating func open() {
        arrivals = []
        opening += 1
        gapUntil = nil
        isServing = false
    }

    mutating func close() { isServing = false }

    mutating func setPeriod(_ period: Int64?, at now: Int64) {
        former.append((self.period, now))
        self.period = period ?? 0
    }

    /// The shortest period that was believed at any time since an instant.
    func shortestPeriod(since instant: Int64) -> Int64 {
        former.reversed().prefix { $0.until > instant }.reduce(period) { min($0, $1.period) }
    }

    /// The index of a sample, by its number.
    func index(of sequence: UInt64) -> Int? {
        let index = firstIndex { $0.sample.sequence >= sequence }
        return index < arrivals.count && arrivals[index].sample.sequence == sequence ? index : nil
    }

    /// The first sample for which a condition holds that then keeps holding.
    func firstIndex(from start: Int = 0, where holds: (Arrival) -> Bool) -> Int {
        var low = start
        var high = arrivals.count
        while low < high {
            let middle = (low + high) / 2
            if holds(arrivals[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
