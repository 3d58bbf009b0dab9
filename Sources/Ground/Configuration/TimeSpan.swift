/// A time span in the usual notation: `10s`, `1min 30s`, `250ms`, `0.5`, `infinity`. `systemd.time(7)`
///
/// Configuration files, scenarios, faults and the command line all use this grammar. A number without a unit is in
/// seconds.
public struct TimeSpan: Equatable, Sendable, CustomStringConvertible {
    /// Nanoseconds, never negative; the largest number means infinite.
    public var nanoseconds: Int64

    /// An infinite time span.
    public static let infinity = TimeSpan(nanoseconds: .max)

    /// Creates a time span.
    public init(nanoseconds: Int64) { self.nanoseconds = max(0, nanoseconds) }

    /// Parses a time span.
    public init(parsing text: String) throws(TimeSpanError) {
        do throws(Flaw) { try self.init(of: text) } catch {
            throw TimeSpanError(text, error.words ?? "is not a time span: \(Self.examples)")
        }
    }

    /// Parses an interval: a time span, or a rate such as `50Hz`, which means its period.
    ///
    /// It is 0 only if 0 is written, and never infinite.
    public init(parsingInterval text: String) throws(TimeSpanError) {
        let period = Rate.hertz(text).flatMap { Int64(exactly: (1e9 / $0).rounded()) }.flatMap { $0 > 0 ? $0 : nil }
        do throws(Flaw) {
            if let period { self.init(nanoseconds: period) } else { try self.init(of: text) }
            if self == .infinity { throw Flaw.noSpan }
        } catch {
            throw TimeSpanError(
                text, error.words ?? "is not an interval: \(Self.examples), 50Hz; 0 is every sample")
        }
    }

    /// Parses a time span; nil if the text is none.
    public init?(_ text: String) {
        do throws(Flaw) { try self.init(of: text) } catch { return nil }
    }

    /// Why a text is no time span.
    private enum Flaw: Error {
        case noSpan, tooLong, tooShort

        var words: String? {
            switch self {
            case .noSpan: nil
            case .tooLong: "is too long: at most \(Int64.max / TimeSpan.day)d"
            case .tooShort: "is too short: at least 1ns, or 0"
            }
        }
    }

    private init(of text: String) throws(Flaw) {
        guard text != "infinity" else {
            self = .infinity
            return
        }
        var rest = text.utf8[...].drop(while: Self.isSpace)
        var sum: Int64 = 0
        guard !rest.isEmpty else { throw .noSpan }
        while !rest.isEmpty {
            let number = Self.take(&rest) { Self.isDigit($0) || $0 == UInt8(ascii: ".") }
            rest = rest.drop(while: Self.isSpace)
            let unit = Self.take(&rest) { !Self.isDigit($0) && !Self.isSpace($0) && $0 != UInt8(ascii: ".") }
            rest = rest.drop(while: Self.isSpace)
            guard let factor = Self.units[unit.isEmpty ? "s" : unit] else { throw .noSpan }
            let (total, overflow) = sum.addingReportingOverflow(try Self.product(number, factor))
            guard !overflow else { throw .tooLong }
            sum = total
        }
        // A span that is too short to represent is not 0.
        guard sum > 0 || !text.utf8.contains(where: { (UInt8(ascii: "1")...UInt8(ascii: "9")).contains($0) }) else {
            throw .tooShort
        }
        nanoseconds = sum
    }

    /// The span in the largest units that leave no remainder: `1min 30s`.
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

    /// All names of units.
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

    /// Exact decimal arithmetic; truncates below a nanosecond.
    private static func product(_ number: String, _ factor: Int64) throws(Flaw) -> Int64 {
        let parts = number.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let fraction = parts.dropFirst().first
        guard !parts[0].isEmpty, fraction?.isEmpty != true, fraction?.contains(".") != true else { throw .noSpan }
        guard let whole = Int64(parts[0]) else { throw .tooLong }
        var (sum, overflow) = whole.multipliedReportingOverflow(by: factor)
        var place = factor
        for digit in (fraction ?? "").utf8 {
            place /= 10
            let (next, tooMuch) = sum.addingReportingOverflow(place * Int64(digit - UInt8(ascii: "0")))
            sum = next
            overflow = overflow || tooMuch
        }
        guard !overflow else { throw .tooLong }
        return sum
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

/// An error in the text of a time span, with a remedy.
public struct TimeSpanError: Error, Equatable, CustomStringConvertible {
    /// The message for the user.
    public let description: String

    init(_ text: String, _ words: String) { description = "'\(ConfigurationProblem.excerpt(text))' \(words)" }
}

/// Rates in the usual notation: `50Hz`, `0.5Hz`, `4kHz`, `1MHz`.
public enum Rate {
    private static let units: [(name: String, hertz: Double)] = [("khz", 1e3), ("mhz", 1e6), ("hz", 1)]

    /// All names of units, in lower case.
    public static var unitNames: some Collection<String> { units.map(\.name) }

    /// Parses a rate in hertz, above 0; nil if the text is none.
    ///
    /// Case is ignored, since nobody means millihertz.
    public static func hertz(_ text: some StringProtocol) -> Double? {
        let text = text.lowercased()
        guard let unit = units.first(where: { text.hasSuffix($0.name) }) else { return nil }
        var digits = text.dropLast(unit.name.count)
        while digits.last == " " { digits.removeLast() }
        guard
            digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: ".") }),
            digits.first != ".", digits.last != ".", let value = Double(digits), value > 0, value.isFinite
        else { return nil }
        return value * unit.hertz
    }
}
