/// The time of a fix as gpsd gave it: what tells one epoch from another, whatever the calendar thinks of it.
struct FixTime: Equatable, Sendable {
    /// Seconds since 1970.
    var seconds: Int64
    /// Nanoseconds within the second.
    var nanoseconds: Int64

    /// UTC microseconds since 1970, if the time lies in 2000 to 2099.
    ///
    /// Outside of that a receiver has not found the date yet or has rolled over: libgps makes the year 9999 or 1899 of
    /// what it cannot read, and a GPS week that rolled over makes 1999 of 2019.
    var utcMicroseconds: Int64? {
        let plausible: Range<Int64> = 946_684_800..<4_102_444_800
        guard plausible.contains(seconds), (0..<1_000_000_000).contains(nanoseconds) else { return nil }
        return seconds * 1_000_000 + nanoseconds / 1000
    }

    /// Nanoseconds from another time to this one; nil where they do not fit.
    func nanoseconds(since other: Self) -> Int64? {
        let (difference, tooFar) = seconds.subtractingReportingOverflow(other.seconds)
        let (scaled, tooLarge) = difference.multipliedReportingOverflow(by: 1_000_000_000)
        let (fraction, odd) = nanoseconds.subtractingReportingOverflow(other.nanoseconds)
        let (sum, overflow) = scaled.addingReportingOverflow(fraction)
        return tooFar || tooLarge || odd || overflow ? nil : sum
    }
}
