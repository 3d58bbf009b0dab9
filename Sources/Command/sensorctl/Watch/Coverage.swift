internal import BrokerClient

/// The time of each resource's last reading, and the gap after it when the stream must be renewed.
///
/// A new broker process may not know this stream, and then cannot report the gap. `sensorctl` does, with the cause
/// `restarted` and without a count, which is not known; but nothing that the broker has reported itself.
struct Coverage {
    /// Up to when everything has arrived, or has been reported to be missing.
    private var stamps: [String: Int64] = [:]
    private var intervals: [String: Int64] = [:]
    private var interrupted: Set<String> = []

    /// The stream has ended and will be renewed.
    mutating func interrupt() { interrupted = Set(stamps.keys) }

    /// Notes the interval that is granted from now on.
    mutating func take(_ grant: Grant) { intervals[grant.resource] = grant.intervalNanoseconds }

    /// Notes a gap that the broker reports.
    mutating func take(_ gap: Gap) {
        if let known = stamps[gap.resource] { stamps[gap.resource] = max(known, gap.untilNanoseconds) }
    }

    /// Whether a reading has come before, or was reported missing.
    ///
    /// A stream begins with the newest reading, also where the broker was there all the time.
    func isKnown(_ reading: Reading) -> Bool {
        guard interrupted.contains(reading.resource), let covered = stamps[reading.resource] else { return false }
        return reading.lastTimestampNanoseconds <= covered
    }

    /// Takes a reading; returns the gap before it.
    ///
    /// Nil if the reading comes no later than it was due anyway.
    mutating func gap(before reading: Reading) -> Gap? {
        let first = reading.timestampNanoseconds
        let last = stamps.updateValue(reading.lastTimestampNanoseconds, forKey: reading.resource)
        guard interrupted.remove(reading.resource) != nil, let last else { return nil }
        let span = first.subtractingReportingOverflow(last)
        let interval = intervals[reading.resource] ?? 0
        guard !span.overflow, span.partialValue > interval + interval / 2 else { return nil }
        return Gap(reading.resource, cause: "restarted", from: last, until: first)
    }
}
