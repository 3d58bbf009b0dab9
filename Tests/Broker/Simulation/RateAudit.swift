/// Whether readings follow due times that are an interval apart: n of them take n intervals.
///
/// The sample for a due time is the first within half a period before it, so it is late by less than its distance to
/// the sample before. Both values are bounded for any two such samples, whatever the jitter, and nothing may drift.
struct RateAudit {
    private var start: (stamp: Int64, spacing: Int64)?
    private var count: Int64 = 0
    private var lost: Int64 = 0
    private var isFirst = true

    /// Starts the due times again: another opening, another lane, another period.
    mutating func restart() { self = RateAudit() }

    /// Due times that were reported as lost.
    mutating func lose(_ due: Int) { lost += Int64(due) }

    /// Checks a reading for the next due time; returns what is wrong with it.
    mutating func take(_ due: Truth.Arrival, isTrailing: Bool, interval: Int64, period: Int64, delay: Int64) -> String?
    {
        let isFirst = isFirst
        self.isFirst = false
        count += 1 + lost
        let gap = lost > 0 || due.followsGap
        lost = 0
        // If a hole continues after the reported loss, it is a silence; with an unknown period, nobody can know.
        if (gap && due.spacing ?? 0 > period + period / 2) || (period == 0 && due.spacing ?? 0 > interval / 2 - delay) {
            restart()
            return nil
        }
        guard let spacing = due.spacing, spacing < interval else {
            // In a reported hole, the due times continue; in a silence, they are skipped.
            let wrong =
                gap
                ? check(due.stamp, spacing: due.spacing ?? 0, interval: interval, width: interval + period / 2) : nil
            restart()
            return wrong
        }
        // A sample before its due time only shows that it was not due earlier.
        if isTrailing { return nil }
        // After a disturbance, the sample before may have been near enough too; near the device's own rate lateness
        // adds up, until a whole interval is skipped.
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
