internal import Readings

/// The sampling instants of a mock: an exact grid that does not depend on the thread's wake-ups.
///
/// It works like hardware with a FIFO: samples are taken on time and read later, a batch at once if the demand allows.
/// A reader that is late by more than a second, as after suspend, finds an overflow: it gets a gap and the newest
/// sample.
struct SampleGrid: Equatable, Sendable {
    /// What is due: possibly a loss, then so many ticks from the first one on.
    struct Due: Equatable {
        var gap: Gap?
        var first: BootTime
        var count: Int
    }

    /// How late a batch may be read without a loss.
    static let patienceNanoseconds: Int64 = 1_000_000_000
    /// The longest batch.
    static let capacity: Int64 = 4096

    /// The distance between ticks; positive.
    private(set) var periodNanoseconds: Int64
    private var nextTick: BootTime
    private var batchCount: Int64

    /// Creates a grid whose first tick is its start.
    init(start: BootTime, periodNanoseconds: Int64, latencyNanoseconds: Int64) {
        nextTick = start
        self.periodNanoseconds = max(1, periodNanoseconds)
        batchCount = Self.batchCount(latencyNanoseconds, self.periodNanoseconds)
        assert((1...Self.capacity).contains(batchCount))
    }

    var readyAt: BootTime { nextTick + (batchCount - 1) * periodNanoseconds }

    /// Takes all ticks up to now.
    mutating func take(at now: BootTime) -> Due {
        var gap: Gap?
        if now - readyAt > Self.patienceNanoseconds { gap = skip(to: now) }
        let first = nextTick
        let count = now < nextTick ? 0 : (now - nextTick) / periodNanoseconds + 1
        nextTick = nextTick + count * periodNanoseconds
        assert(count >= 0 && nextTick > now, "all ticks up to now are taken")
        assert(gap.map { $0.until < first } ?? true, "a loss lies before the ticks that follow")
        return Due(gap: gap, first: first, count: Int(count))
    }

    /// Whether the grid would change with these values.
    func needsChange(periodNanoseconds: Int64, latencyNanoseconds: Int64) -> Bool {
        self.periodNanoseconds != periodNanoseconds
            || batchCount != Self.batchCount(latencyNanoseconds, max(1, periodNanoseconds))
    }

    /// Changes the interval, on the grid that starts at an anchor, so that a shorter interval does not wait for the
    /// next tick of the longer one.
    ///
    /// All ticks up to now have been taken, so that nothing is lost or doubled.
    mutating func change(periodNanoseconds: Int64, latencyNanoseconds: Int64, at now: BootTime, anchor: BootTime) {
        self.periodNanoseconds = max(1, periodNanoseconds)
        nextTick = anchor + (max(0, now - anchor) / self.periodNanoseconds + 1) * self.periodNanoseconds
        assert(nextTick > now, "no tick is taken twice")
        batchCount = Self.batchCount(latencyNanoseconds, self.periodNanoseconds)
    }

    // Skips all ticks up to now but the last.
    private mutating func skip(to now: BootTime) -> Gap? {
        let count = (now - nextTick) / periodNanoseconds
        guard count > 0 else { return nil }
        let from = nextTick
        nextTick = nextTick + count * periodNanoseconds
        return Gap(
            cause: .deviceOverflow, count: Int(count), from: from, until: nextTick + -periodNanoseconds)
    }

    private static func batchCount(_ latencyNanoseconds: Int64, _ periodNanoseconds: Int64) -> Int64 {
        min(max(1, latencyNanoseconds / periodNanoseconds), capacity)
    }
}
