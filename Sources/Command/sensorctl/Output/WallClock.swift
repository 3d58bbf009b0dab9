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

    /// UTC in nanoseconds since 1970.
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

    /// An instant, split in UTC or local time. `localtime_r(3)`, `gmtime_r(3)`
    private func parts(_ bootNanoseconds: Int64) -> (date: String, time: String, milliseconds: String, zone: String) {
        let instant = split(bootNanoseconds)
        var seconds = time_t(instant.seconds)
        var parts = unsafe tm()
        if isUTC { unsafe gmtime_r(&seconds, &parts) } else { unsafe localtime_r(&seconds, &parts) }
        return unsafe (
            Self.date(parts), Self.timeOfDay(parts), (instant.nanoseconds / 1_000_000).padded(to: 3),
            isUTC ? "Z" : Self.zone(minutesAhead: parts.tm_gmtoff / 60)
        )
    }

    private static func zone(minutesAhead minutes: Int) -> String {
        let (hours, rest) = minutes.magnitude.quotientAndRemainder(dividingBy: 60)
        return "\(minutes < 0 ? "-" : "+")\(hours.padded(to: 2)):\(rest.padded(to: 2))"
    }

    /// UTC to the microsecond: `2026-11-21T12:03:04.512345Z`. `gmtime_r(3)`
    func utc(_ bootNanoseconds: Int64) -> String {
        let instant = split(bootNanoseconds)
        var seconds = time_t(instant.seconds)
        var parts = unsafe tm()
        unsafe gmtime_r(&seconds, &parts)
        let microseconds = (instant.nanoseconds / 1_000).padded(to: 6)
        return unsafe "\(Self.date(parts))T\(Self.timeOfDay(parts)).\(microseconds)Z"
    }

    /// An instant out of range becomes the end of the range.
    private func split(_ bootNanoseconds: Int64) -> (seconds: Int64, nanoseconds: Int64) {
        let sum = bootNanoseconds.addingReportingOverflow(bootRealtimeNanoseconds)
        let (seconds, rest) = (sum.overflow ? .max : sum.partialValue).quotientAndRemainder(dividingBy: 1_000_000_000)
        return rest < 0 ? (seconds - 1, rest + 1_000_000_000) : (seconds, rest)
    }

    // Unsafe only because of the pointer to the time zone's name in `tm`, which is not used.

    private static func date(_ parts: tm) -> String {
        let (year, month, day) = unsafe (parts.tm_year, parts.tm_mon, parts.tm_mday)
        return [
            (year + 1900).padded(to: 4), (month + 1).padded(to: 2),
            day.padded(to: 2),
        ].joined(separator: "-")
    }

    private static func timeOfDay(_ parts: tm) -> String {
        let (hour, minute, second) = unsafe (parts.tm_hour, parts.tm_min, parts.tm_sec)
        return [hour, minute, second].map { $0.padded(to: 2) }.joined(separator: ":")
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
