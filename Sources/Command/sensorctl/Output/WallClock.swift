internal import Formats
internal import Glibc
internal import Platform
internal import Readings

/// Turns instants of CLOCK_BOOTTIME into dates and times.
///
/// Each follows from the wall clock as it is set then: a host may learn the time long after a program was started.
struct WallClock {
    /// What the clocks of this host do not decide.
    private let fixed: Int64?
    /// Whether text shows times in UTC instead of local time.
    let isUTC: Bool

    /// The wall clock's time at which the host started, in nanoseconds since 1970.
    var bootRealtimeNanoseconds: Int64 { fixed ?? WallClockOffset.nanoseconds }

    init(bootRealtimeNanoseconds: Int64, isUTC: Bool = false) {
        fixed = bootRealtimeNanoseconds
        self.isUTC = isUTC
    }

    /// The clocks of this host.
    init(isUTC: Bool) {
        fixed = nil
        self.isUTC = isUTC
    }

    /// UTC in nanoseconds since 1970; an instant out of range becomes the end of the range.
    func utcNanoseconds(_ bootNanoseconds: Int64) -> Int64 {
        let (sum, overflow) = bootRealtimeNanoseconds.addingReportingOverflow(bootNanoseconds)
        return overflow ? .max : sum
    }

    /// Date, time to the millisecond and zone, of one width: `2026-11-21 12:03:04.512+01:00`.
    func stamp(_ bootNanoseconds: Int64) -> String {
        let parts = parts(bootNanoseconds)
        return "\(parts.date) \(parts.time).\(parts.milliseconds)\(parts.zone)"
    }

    /// The date and the zone: `2026-11-21+01:00`.
    func day(_ bootNanoseconds: Int64) -> String {
        let parts = parts(bootNanoseconds)
        return parts.date + parts.zone
    }

    /// The same to the second: `2026-11-21 12:03:04+01:00`.
    func second(_ bootNanoseconds: Int64) -> String {
        let parts = parts(bootNanoseconds)
        return "\(parts.date) \(parts.time)\(parts.zone)"
    }

    /// Time of day to the millisecond: `12:03:04.512`.
    func timeOfDay(_ bootNanoseconds: Int64) -> String {
        let parts = parts(bootNanoseconds)
        return "\(parts.time).\(parts.milliseconds)"
    }

    /// UTC to the microsecond: `2026-11-21T12:03:04.512345Z`.
    func utc(_ bootNanoseconds: Int64) -> String {
        let (seconds, nanoseconds) = split(bootNanoseconds)
        let text = CalendarTime.text(microseconds: seconds * 1_000_000)
        return "\(text.dropLast()).\((nanoseconds / 1_000).padded(to: 6))Z"
    }

    /// An instant, split in UTC or local time.
    private func parts(
        _ bootNanoseconds: Int64
    ) -> (date: Substring, time: Substring, milliseconds: String, zone: String) {
        let (seconds, nanoseconds) = split(bootNanoseconds)
        let ahead = isUTC ? 0 : Self.secondsAhead(at: seconds)
        let text = CalendarTime.text(microseconds: (seconds + ahead) * 1_000_000)
        return (
            text.prefix(10), text.dropFirst(11).prefix(8), (nanoseconds / 1_000_000).padded(to: 3),
            isUTC ? "Z" : Self.zone(minutesAhead: ahead / 60)
        )
    }

    /// How far local time is ahead of UTC. `localtime_r(3)`
    private static func secondsAhead(at seconds: Int64) -> Int64 {
        var (seconds, parts) = unsafe (time_t(seconds), tm())
        unsafe localtime_r(&seconds, &parts)
        return unsafe Int64(parts.tm_gmtoff)
    }

    private static func zone(minutesAhead minutes: Int64) -> String {
        let (hours, rest) = minutes.magnitude.quotientAndRemainder(dividingBy: 60)
        return "\(minutes < 0 ? "-" : "+")\(hours.padded(to: 2)):\(rest.padded(to: 2))"
    }

    private func split(_ bootNanoseconds: Int64) -> (seconds: Int64, nanoseconds: Int64) {
        let (seconds, rest) = utcNanoseconds(bootNanoseconds).quotientAndRemainder(dividingBy: 1_000_000_000)
        return rest < 0 ? (seconds - 1, rest + 1_000_000_000) : (seconds, rest)
    }
}

/// Deadlines on CLOCK_BOOTTIME.
enum BootClock {
    /// The instant that many nanoseconds from now.
    static func after(_ nanoseconds: Int64) -> Int64 { Clock.bootNanoseconds().addingSaturating(nanoseconds) }

    /// The time from one instant to another; a broker may name any.
    static func span(from first: Int64, to last: Int64) -> Int64 { last.subtractingSaturating(first) }

    /// The time until an instant; negative if it has passed.
    static func nanoseconds(until instant: Int64) -> Int64 { instant - Clock.bootNanoseconds() }
}
