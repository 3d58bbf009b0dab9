internal import Glibc
internal import Readings

/// Where the marks of an axis are, and what is written beside them; as in `axis.js`.
struct Axis: Equatable {
    private static let secondsOfDay = [
        1.0, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200, 86_400,
    ]

    let marks: [(value: Double, text: String)]

    static func == (first: Self, second: Self) -> Bool {
        first.marks.elementsEqual(second.marks) { $0.value == $1.value && $0.text == $1.text }
    }

    /// Marks at multiples of a round step.
    init(from: Double, to: Double, most: Int) {
        let step = Self.step(to - from, most)
        marks = Self.multiples(of: step, from, to).map { ($0, NumberText.text($0, step: step)) }
    }

    /// Marks at round times: UTC, in seconds since 1970 at the time 0, or else seconds since the beginning.
    init(from: Double, to: Double, most: Int, utcSeconds: Double?) {
        guard let utcSeconds else {
            let axis = Self(from: from, to: to, most: most)
            marks = axis.marks.map { ($0.value, $0.text + " s") }
            return
        }
        let least = (to - from) / Double(most)
        let step =
            least < 1
            ? Self.step(to - from, most)
            : Self.secondsOfDay.first { $0 >= least } ?? 86_400 * (least / 86_400).rounded(.up)
        marks = Self.multiples(of: step, from + utcSeconds, to + utcSeconds).map { utc in
            (utc - utcSeconds, Self.timeOfDay(utc, step: step))
        }
    }

    /// Marks at one, two and five times the powers of ten.
    init(logarithmicFrom from: Double, to: Double, most: Int) {
        let factors = to / from < 200 ? [1.0, 2, 5] : [1.0]
        var values: [Double] = []
        var power = pow(10, log10(from).rounded(.down))
        while power <= to, values.count < 100 {
            values += factors.map { $0 * power }.filter { $0 >= from && $0 <= to }
            power *= 10
        }
        let nth = (values.count + most - 1) / max(1, most)
        marks = values.enumerated().filter { $0.offset % max(1, nth) == 0 }.map {
            ($0.element, NumberText.digits($0.element))
        }
    }

    /// The smallest step of 1, 2 or 5 times a power of ten that makes no more than so many steps of a span.
    static func step(_ span: Double, _ most: Int) -> Double {
        let least = span / Double(max(1, most))
        guard least > 0, least.isFinite else { return 1 }
        let power = pow(10, log10(least).rounded(.down))
        return power * ([1.0, 2, 5].first { power * $0 >= least * 0.999_999 } ?? 10)
    }

    private static func multiples(of step: Double, _ from: Double, _ to: Double) -> [Double] {
        let first = (from / step).rounded(.up)
        return (0..<100).map { (first + Double($0)) * step }.prefix { $0 <= to }.map { $0 }
    }

    private static func timeOfDay(_ utc: Double, step: Double) -> String {
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let whole = Int64(clamping: (utc + 1e-7).rounded(.down))
        let day = whole - (whole / 86_400) * 86_400
        let minutes = "\(two(day / 3_600)):\(two(day / 60 % 60))"
        guard step < 60 else { return minutes }
        let rest = max(0, utc - Double(whole))
        return "\(minutes):\(two(day % 60))" + (step < 1 ? NumberText.text(rest, step: step).dropFirst() : "")
    }
}

/// Numbers as text.
enum NumberText {
    /// A number with as many decimals as a step needs.
    static func text(_ value: Double, step: Double) -> String {
        let decimals = min(9, max(0, -Int(clamping: (log10(step) + 1e-9).rounded(.down))))
        return fixed(abs(value) < step / 1e6 ? 0 : value, decimals)
    }

    /// A number with four digits that count.
    static func digits(_ value: Double) -> String {
        guard value.isFinite else { return "–" }
        guard value != 0 else { return "0" }
        let power = Int(clamping: log10(abs(value)).rounded(.down))
        guard (-5...7).contains(power) else { return "\(fixed(value / pow(10, Double(power)), 2))e\(power)" }
        let text = fixed(value, max(0, 3 - power))
        guard text.contains(".") else { return text }
        let trimmed = text.reversed().drop { $0 == "0" }
        return String(String((trimmed.first == "." ? trimmed.dropFirst() : trimmed).reversed()))
    }

    /// A number with so many decimals.
    static func fixed(_ value: Double, _ decimals: Int) -> String {
        let scale = pow(10, Double(decimals))
        let scaled = Int64(clamping: (abs(value) * scale).rounded())
        let sign = value < 0 && scaled > 0 ? "-" : ""
        guard decimals > 0 else { return "\(sign)\(scaled)" }
        let digits = String(scaled)
        let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
        return sign + padded.dropLast(decimals) + "." + padded.suffix(decimals)
    }
}
