/// Whether readings follow due times that lie an interval apart: over n of them n intervals pass.
///
/// The sample for a due time is the first within half a period before it, so it is late by less than its distance from the
/// sample before. Of two such samples both are bounded, whatever the jitter, and nothing may drift.
struct RateAudit {
    private var start: (stamp: Int64, spacing: Int64)?
    private var count: Int64 = 0
    private var lost: Int64 = 0
    private var isFirst = true

    /// Due times begin anew: another opening, another lane, another period.
    mutating func restart() { self = RateAudit() }

    /// Due times that were told to be lost.
    mutating func lose(_ due: Int) { lost += Int64(due) }

    /// A reading for the next due time; returns what is wrong with it.
    mutating func take(_ due: Truth.Arrival, isTrailing: Bool, interval: Int64, period: Int64, delay: Int64) -> String?
    {
        let isFirst = isFirst
        self.isFirst = false
        count += 1 + lost
        let gap = lost > 0 || due.followsGap
        lost = 0
        // A hole that goes on behind what was told is a silence; of a period that is not known, nobody can say.
        if (gap && due.spacing ?? 0 > period + period / 2) || (period == 0 && due.spacing ?? 0 > interval / 2 - delay) {
            restart()
            return nil
        }
        guard let spacing = due.spacing, spacing < interval else {
            // In a hole that was told the due times go on; in a silence they are passed over.
            let wrong =
                gap
                ? check(due.stamp, spacing: due.spacing ?? 0, interval: interval, width: interval + period / 2) : nil
            restart()
            return wrong
        }
        // A sample from before its due time says only that it was not due before.
        if isTrailing { return nil }
        // Behind a disturbance the sample before may have been near enough too; near the device's own rate lateness adds up,
        // until a whole interval is passed over.
        let width = (interval < 2 * spacing ? interval : spacing) + period / 2
        if start == nil {
            if !isFirst, !gap { start = (due.stamp, width) }
            count = 0
            return nil
        }
        // The first sample after a hole serves the last due time in it.
        return check(due.stamp, spacing: spacing, interval: interval, width: gap ? interval + period / 2 : width)
    }

    private func check(_ stamp: Int64, spacing: Int64, interval: Int64, width: Int64) -> String? {
        guard let start else { return nil }
        let ideal = start.stamp + count * interval
        if stamp >= ideal - start.spacing, stamp <= ideal + max(spacing, width) { return nil }
        return
            "after \(count) intervals of \(interval) ns a reading is off by \(stamp - ideal) ns, period \(spacing) ns"
    }
}
