/// A length of time as people write it: `10s`, `1min 30s`, `250ms`, `0.5`, `infinity`. `systemd.time(7)`
///
/// The one grammar for configuration files, scenarios, faults and the command line. A number without a unit is in seconds.
/// It stands here because whatever reads text that people wrote imports this target, and `Readings` knows no text.
public struct TimeSpan: Equatable, Sendable, CustomStringConvertible {
    /// In nanoseconds, never negative; the largest number is without end.
    public var nanoseconds: Int64

    /// Without end.
    public static let infinity = TimeSpan(nanoseconds: .max)

    /// A length of time in nanoseconds.
    public init(nanoseconds: Int64) { self.nanoseconds = max(0, nanoseconds) }

    /// Reads a length of time.
    public init(parsing text: String) throws(TimeSpanError) {
        guard let span = Self(text) else { throw TimeSpanError(text, isNo: "length of time", write: Self.examples) }
        self = span
    }

    /// Reads an interval: a length of time, or a rate such as `50Hz`, of which it is the period.
    ///
    /// It is 0 only if 0 is written, and never without end.
    public init(parsingInterval text: String) throws(TimeSpanError) {
        let period = Rate.hertz(text).flatMap { Int64(exactly: (1e9 / $0).rounded()) }.flatMap { $0 > 0 ? $0 : nil }
        guard let span = period.map(Self.init(nanoseconds:)) ?? Self(text), span != .infinity else {
            throw TimeSpanError(text, isNo: "interval", write: "\(Self.examples), 50Hz; 0 is every sample")
        }
        self = span
    }

    /// Reads a length of time; nil if the text is none.
    public init?(_ text: String) {
        guard text != "infinity" else {
            self = .infinity
            return
        }
        var rest = text.utf8[...].drop(while: Self.isSpace)
        var sum: Int64 = 0
        guard !rest.isEmpty else { return nil }
        while !rest.isEmpty {
            let number = Self.take(&rest) { Self.isDigit($0) || $0 == UInt8(ascii: ".") }
            rest = rest.drop(while: Self.isSpace)
            let unit = Self.take(&rest) { !Self.isDigit($0) && !Self.isSpace($0) && $0 != UInt8(ascii: ".") }
            rest = rest.drop(while: Self.isSpace)
            guard let factor = Self.units[unit.isEmpty ? "s" : unit], let part = Self.product(number, factor) else {
                return nil
            }
            let (total, overflow) = sum.addingReportingOverflow(part)
            guard !overflow else { return nil }
            sum = total
        }
        // What is too short to be counted is not the same as 0.
        guard sum > 0 || !text.utf8.contains(where: { (UInt8(ascii: "1")...UInt8(ascii: "9")).contains($0) }) else {
            return nil
        }
        nanoseconds = sum
    }

    /// As the text was, in the largest units that leave nothing over: `1min 30s`.
    public var description: String {
        if self == .infinity { return "infinity" }
        if nanoseconds == 0 { return "0" }
        var rest = nanoseconds
        var words: [String] = []
        for (unit, factor) in [
            ("d", Self.day), ("h", Self.hour), ("min", Self.minute), ("s", Self.second), ("ms", 1_000_000),
            ("us", 1_000),
            ("ns", 1),
        ] where rest >= factor {
            words.append("\(rest / factor)\(unit)")
            rest %= factor
        }
        return words.joined(separator: " ")
    }

    /// Every name of a unit.
    public static var unitNames: some Collection<String> { units.keys }

    private static let examples = "write it like 10s, 250ms, 1min 30s, or 0.5 for half a second"

    private static let second: Int64 = 1_000_000_000
    private static let minute = 60 * second
    private static let hour = 60 * minute
    private static let day = 24 * hour

    private static let units: [String: Int64] = [
        "ns": 1, "nsec": 1, "us": 1_000, "usec": 1_000, "µs": 1_000, "μs": 1_000, "ms": 1_000_000, "msec": 1_000_000,
        "s": second, "sec": second, "second": second, "seconds": second, "m": minute, "min": minute, "minute": minute,
        "minutes": minute, "h": hour, "hr": hour, "hour": hour, "hours": hour, "d": day, "day": day, "days": day,
        "w": 7 * day, "week": 7 * day, "weeks": 7 * day,
    ]

    /// Exact, digit by digit: what is finer than a nanosecond is cut off.
    private static func product(_ number: String, _ factor: Int64) -> Int64? {
        let parts = number.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = Int64(parts[0]) else { return nil }
        var (sum, overflow) = whole.multipliedReportingOverflow(by: factor)
        guard parts.count == 2 else { return overflow ? nil : sum }
        guard !parts[1].isEmpty, !parts[1].contains(".") else { return nil }
        var place = factor
        for digit in parts[1].utf8 {
            place /= 10
            let (next, tooMuch) = sum.addingReportingOverflow(place * Int64(digit - UInt8(ascii: "0")))
            sum = next
            overflow = overflow || tooMuch
        }
        return overflow ? nil : sum
    }

    private static func take(
        _ rest: inout Substring.UTF8View, while isPart: (UInt8) -> Bool
    ) -> String {
        let part = rest.prefix(while: isPart)
        rest = rest.dropFirst(part.count)
        return String(decoding: part, as: UTF8.self)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
}

/// A text that is no length of time, with what to write instead.
public struct TimeSpanError: Error, Equatable, CustomStringConvertible {
    /// The message for whoever wrote the text.
    public let description: String

    init(_ text: String, isNo what: String, write advice: String) {
        description = "'\(ConfigurationProblem.excerpt(text))' is no \(what): \(advice)"
    }
}
