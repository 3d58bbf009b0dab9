/// A time as tables have it: with the date and the time of day in one cell or in two, in many spellings.
///
/// What a date begins with is seen by a year of four digits, by points, before which the day stands, or by a number that is
/// too large for anything else. Otherwise the user has to state it: `1/5/2026` is in May or in January, and `26-05-01` in
/// 2001 or in 2026. A time without a zone is UTC.
enum TableTime {
    /// What a date begins with.
    enum DateOrder: String {
        case yearFirst = "ymd"
        case dayFirst = "dmy"
        case monthFirst = "mdy"
    }

    /// A date and a time of day in microseconds, as far as a text has them.
    struct Parts: Equatable {
        var day: Int64?
        var timeOfDay: Int64?
        var hasZone = false

        /// UTC in microseconds; nil without both.
        var utcMicroseconds: Int64? {
            guard let day, let timeOfDay else { return nil }
            return day * 86_400_000_000 + timeOfDay
        }
    }

    private struct Digits: Equatable {
        let value: Int64
        let count: Int
    }

    /// The parts of a text; nil if it is neither a date nor a time.
    static func parts(_ text: String, _ order: DateOrder?) -> Parts? {
        if let utc = CalendarTime.microseconds(text) {
            let (day, rest) = utc.quotientAndRemainder(dividingBy: 86_400_000_000)
            let isBefore = rest < 0
            let tail = text.drop { $0 != ":" }
            return Parts(
                day: isBefore ? day - 1 : day, timeOfDay: isBefore ? rest + 86_400_000_000 : rest,
                hasZone: tail.contains { "Zz+-".contains($0) })
        }
        var parts = Parts()
        var rest = text.trimmedBlanks[...]
        if let basic = basic(rest) { return basic }
        if let day = date(&rest, order) {
            parts.day = day
            rest = rest.drop { $0 == " " || $0 == "T" || $0 == "t" || $0 == "," || $0 == "_" }
        }
        guard !rest.isEmpty else { return parts.day == nil ? nil : parts }
        guard let time = timeOfDay(&rest), let offset = zone(&rest) else { return nil }
        parts.timeOfDay = time - (offset ?? 0)
        parts.hasZone = offset != nil
        return parts
    }

    /// A date and a time of day without separators: `20260501T100000Z`, `20260501100000`.
    private static func basic(_ text: Substring) -> Parts? {
        var time = text.dropFirst(8)
        if let first = time.first, "Tt _-".contains(first) { time.removeFirst() }
        let digits = time.prefix { ("0"..."9").contains($0) || ".,".contains($0) }
        var rest = time[digits.endIndex...]
        guard let day = bareDate(String(text.prefix(8))), digits.prefix(6).allSatisfy(\.isNumber),
            digits.utf8.count == 6 || digits.utf8.count > 7,
            let microseconds = CalendarTime.timeOfDay(digits: String(digits.map { $0 == "," ? "." : $0 })),
            let offset = zone(&rest)
        else { return nil }
        return Parts(day: day, timeOfDay: microseconds - (offset ?? 0), hasZone: offset != nil)
    }

    /// A date without separators in a cell of its own: `20260501` or `260501`, with the year first.
    static func bareDate(_ text: String) -> Int64? {
        guard text.utf8.allSatisfy({ (48...57).contains($0) }), let number = Int64(text) else { return nil }
        switch text.utf8.count {
        case 8: return CalendarTime.days(year: number / 10_000, month: number / 100 % 100, day: number % 100)
        case 6: return CalendarTime.days(year: 2_000 + number / 10_000, month: number / 100 % 100, day: number % 100)
        default: return nil
        }
    }

    /// A date's three numbers.
    private struct Numbers {
        let first: Digits
        let mark: Character
        let second: Digits
        let third: Digits

        init?(_ text: inout Substring) {
            guard let first = digits(&text), let mark = text.popFirst(), "-/.".contains(mark),
                let second = digits(&text), text.popFirst() == mark, let third = digits(&text)
            else { return nil }
            (self.first, self.mark, self.second, self.third) = (first, mark, second, third)
        }

        /// The order that they show; nil if there are several.
        var order: DateOrder? {
            if first.count == 4 || first.value > 31 { return .yearFirst }
            if mark == "." { return .dayFirst }
            // Either end may be a year of two digits; nobody writes one before a slash.
            if mark == "-", third.count <= 2, third.value <= 31 { return nil }
            return first.value > 12 ? .dayFirst : second.value > 12 ? .monthFirst : nil
        }

        /// Days since 1970; nil if there is no such date.
        func days(_ order: DateOrder) -> Int64? {
            let (year, month, day) =
                switch order {
                case .yearFirst: (first, second, third)
                case .dayFirst: (third, second, first)
                case .monthFirst: (third, first, second)
                }
            guard year.count == 4 || year.count == 2 else { return nil }
            return CalendarTime.days(
                year: year.count == 2 ? 2_000 + year.value : year.value, month: month.value, day: day.value)
        }
    }

    /// What a date shows of the order.
    static func order(_ text: String) -> DateOrder? {
        var rest = text.trimmedBlanks[...]
        return Numbers(&rest)?.order
    }

    /// Days since 1970 of a date at the front.
    private static func date(_ rest: inout Substring, _ order: DateOrder?) -> Int64? {
        var text = rest
        guard let numbers = Numbers(&text),
            let order = numbers.first.count == 4 ? .yearFirst : order ?? numbers.order,
            let days = numbers.days(order)
        else { return nil }
        rest = text
        return days
    }

    /// Microseconds of a time of day at the front: `10:00`, `10:00:00.25`, `10-00-00_250`, `9:05:00 PM`.
    private static func timeOfDay(_ rest: inout Substring) -> Int64? {
        guard let hours = digits(&rest), hours.count <= 2, let mark = rest.popFirst(), ":-".contains(mark),
            let minutes = digits(&rest), minutes.value < 60
        else { return nil }
        var microseconds = (hours.value * 60 + minutes.value) * 60_000_000
        if rest.first == mark {
            rest.removeFirst()
            guard let seconds = digits(&rest), seconds.value <= 60 else { return nil }
            microseconds += seconds.value * 1_000_000
            if let point = rest.first, ".,:_".contains(point) {
                rest.removeFirst()
                let fraction = rest.prefix { ("0"..."9").contains($0) }
                guard !fraction.isEmpty else { return nil }
                rest = rest.dropFirst(fraction.count)
                microseconds += Int64((fraction + "000000").prefix(6)) ?? 0
            }
        }
        let half = rest.drop { $0 == " " }.prefix(2).lowercased()
        let dayMicroseconds: Int64 = 86_400_000_000
        guard half == "am" || half == "pm" else {
            // 24:00 is the end of a day.
            return hours.value < 24 || microseconds == dayMicroseconds ? microseconds : nil
        }
        rest = rest.drop { $0 == " " }.dropFirst(2)
        guard (1...12).contains(hours.value) else { return nil }
        let isAfternoon = half == "pm"
        let twelve: Int64 = 12 * 3_600 * 1_000_000
        return microseconds - (hours.value == 12 ? twelve : 0) + (isAfternoon ? twelve : 0)
    }

    /// The offset of a zone at the end, in microseconds; nil inside if there is none, nil if it is something else.
    private static func zone(_ rest: inout Substring) -> Int64?? {
        let text = rest.trimmedBlanks
        if text.isEmpty { return .some(nil) }
        if ["z", "utc", "gmt"].contains(text.lowercased()) { return 0 }
        guard let sign = text.first, "+-".contains(sign),
            let utc = CalendarTime.microseconds("1970-01-02T00:00:00" + text)
        else { return nil }
        return 86_400_000_000 - utc
    }

    private static func digits(_ rest: inout Substring) -> Digits? {
        let text = rest.prefix { ("0"..."9").contains($0) }
        guard (1...4).contains(text.count), let value = Int64(text) else { return nil }
        rest = rest.dropFirst(text.count)
        return Digits(value: value, count: text.count)
    }
}

extension StringProtocol {
    /// The text without the blanks around it.
    fileprivate var trimmedBlanks: String {
        let front = drop(while: \.isBlank)
        return String(front[..<(front.lastIndex { !$0.isBlank }.map { front.index(after: $0) } ?? front.startIndex)])
    }
}
