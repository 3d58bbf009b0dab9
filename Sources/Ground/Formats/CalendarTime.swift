/// Converts UTC between ISO 8601 text and microseconds since 1970.
///
/// Offsets are supported, time zones and leap seconds are not.
public enum CalendarTime {
    /// Parses `2026-11-21T12:03:04.5Z`, also with an offset such as `+01:00`, or with neither, which means UTC.
    ///
    /// A blank may replace the `T`. Nil if the text is not a time in the years 1 to 9999.
    public static func microseconds(_ text: some StringProtocol) -> Int64? {
        var rest = Array(text.utf8)[...]
        rest = rest.drop { $0 <= 32 }
        while let last = rest.last, last <= 32 { rest.removeLast() }
        guard let year = number(&rest, 4), year > 0, skip(&rest, "-"), let month = number(&rest, 2),
            skip(&rest, "-"), let day = number(&rest, 2), skip(&rest, "T") || skip(&rest, "t") || skip(&rest, " "),
            let time = timeOfDay(&rest), let offset = offset(&rest), rest.isEmpty,
            let days = days(year: year, month: month, day: day)
        else { return nil }
        return days * 86_400_000_000 + time - offset
    }

    /// An instant from 1970 to 2261, which nanoseconds can express; nil if it is another one: no sensor has measured then.
    package static func possible(_ microseconds: Int64) -> Int64? {
        (0...9_214_646_399_999_999).contains(microseconds) ? microseconds : nil
    }

    /// Microseconds of the day, from `hhmmss.ss`; leading zeros may be missing.
    static func timeOfDay(digits text: String) -> Int64? {
        guard let value = DecimalNumber.value(text, in: 0...235_960.999_999),
            let whole = Int64(exactly: value.rounded(.down))
        else { return nil }
        let (hours, minutes, seconds) = (whole / 10_000, whole / 100 % 100, whole % 100)
        guard hours < 24, minutes < 60, seconds <= 60 else { return nil }
        let fraction = Int64(exactly: ((value - Double(whole)) * 1e6).rounded()) ?? 0
        return ((hours * 60 + minutes) * 60 + seconds) * 1_000_000 + fraction
    }

    /// Formats an instant, with microseconds unless it is a whole second: `2026-11-21T12:03:04.500000Z`.
    ///
    /// An instant outside of the years 1 to 9999 is clamped.
    public static func text(microseconds: Int64) -> String {
        let (year, month, day, rest) = split(microseconds)
        let seconds = rest / 1_000_000
        let time = [seconds / 3600, seconds / 60 % 60, seconds % 60].map { $0.padded(to: 2) }.joined(separator: ":")
        let fraction = rest % 1_000_000
        let end = fraction == 0 ? "Z" : ".\(fraction.padded(to: 6))Z"
        return "\(year.padded(to: 4))-\(month.padded(to: 2))-\(day.padded(to: 2))T\(time)\(end)"
    }

    /// The date of an instant, and the microseconds of that day; an instant outside of the years 1 to 9999 is clamped.
    static func split(_ microseconds: Int64) -> (year: Int64, month: Int64, day: Int64, microseconds: Int64) {
        let clamped = min(max(microseconds, -62_135_596_800_000_000), 253_402_300_799_999_999)
        let days = floorDivide(clamped, 86_400_000_000)
        let (year, month, day) = date(days: days)
        return (year, month, day, clamped - days * 86_400_000_000)
    }

    /// Days from 1970 to a date of the Gregorian calendar; nil if there is no such date.
    static func days(year: Int64, month: Int64, day: Int64) -> Int64? {
        guard (1...9999).contains(year), (1...12).contains(month), day >= 1 else { return nil }
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let lengths: [Int64] = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard day <= lengths[Int(month) - 1] else { return nil }
        // If years begin in March, the leap day is their last day.
        let shifted = month <= 2 ? year - 1 : year
        let era = floorDivide(shifted, 400)
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func date(days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let era = floorDivide(shifted, 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }

    private static func timeOfDay(_ rest: inout ArraySlice<UInt8>) -> Int64? {
        // 24:00:00 is the end of a day, in XML and in ISO 8601.
        let isEndOfDay =
            rest.starts(with: "24:00".utf8)
            && rest.dropFirst(5).prefix { $0 <= 58 }.allSatisfy { !(49...57).contains($0) }
        guard let hour = number(&rest, 2), hour < 24 || isEndOfDay, skip(&rest, ":"), let minute = number(&rest, 2),
            minute < 60
        else {
            return nil
        }
        guard skip(&rest, ":") else { return (hour * 60 + minute) * 60_000_000 }
        // A leap second counts as the first second of the next minute.
        guard let second = number(&rest, 2), second <= 60 else { return nil }
        let whole = (hour * 60 + minute) * 60 + second
        guard skip(&rest, ".") || skip(&rest, ",") else { return whole * 1_000_000 }
        let digits = rest.prefix { isDigit($0) }
        guard !digits.isEmpty else { return nil }
        rest = rest.dropFirst(digits.count)
        let six = (Array(digits) + Array(repeating: UInt8(ascii: "0"), count: 6)).prefix(6)
        return whole * 1_000_000 + six.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    }

    /// The offset from UTC; 0 if there is none.
    private static func offset(_ rest: inout ArraySlice<UInt8>) -> Int64? {
        if rest.isEmpty || skip(&rest, "Z") || skip(&rest, "z") { return 0 }
        let sign: Int64 = rest.first == UInt8(ascii: "-") ? -1 : 1
        guard skip(&rest, "+") || skip(&rest, "-"), let hours = number(&rest, 2), hours < 24 else { return nil }
        _ = skip(&rest, ":")
        let minutes = rest.isEmpty ? 0 : number(&rest, 2)
        guard let minutes, minutes < 60 else { return nil }
        return sign * (hours * 60 + minutes) * 60_000_000
    }

    private static func number(_ rest: inout ArraySlice<UInt8>, _ digits: Int) -> Int64? {
        let text = rest.prefix(digits)
        guard text.count == digits, text.allSatisfy(isDigit) else { return nil }
        rest = rest.dropFirst(digits)
        return text.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    }

    private static func skip(_ rest: inout ArraySlice<UInt8>, _ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest = rest.dropFirst()
        return true
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func floorDivide(_ value: Int64, _ divisor: Int64) -> Int64 {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
