internal import Readings

/// A column of times: numbers in some unit, or dates.
struct TimeColumn {
    /// The index of the column.
    let index: Int
    /// Nanoseconds in one unit; nil for dates.
    let unitNanoseconds: Double?

    /// A value of the column.
    ///
    /// Integers stay integers, since nanoseconds since 1970 do not fit a double.
    enum Instant {
        case whole(Int64)
        case number(Double)
        case microseconds(Int64)
    }

    func instant(_ row: CSVReader.Row, _ table: CSVTable) throws(FormatError) -> Instant {
        let text = index < row.cells.count ? row.cells[index] : ""
        if let unitNanoseconds {
            if let whole = Int64(text), unitNanoseconds >= 1, unitNanoseconds == unitNanoseconds.rounded() {
                return .whole(whole)
            }
            if let number = DecimalNumber.value(text) { return .number(number) }
        } else if let time = CalendarTime.microseconds(text) {
            return .microseconds(time)
        }
        let form = unitNanoseconds == nil ? "a time like 2026-11-21T12:03:04.5Z" : "a number"
        throw FormatError(
            line: row.line, "'\(text.excerpt)' in column '\(table.columns[index].excerpt)' is not \(form)")
    }

    func nanoseconds(from first: Instant, to instant: Instant, _ row: CSVReader.Row) throws(FormatError) -> Int64 {
        guard let difference = difference(first, instant), abs(difference) < Int64.max / 4 else {
            throw FormatError(line: row.line, "its time is too far from that of the first row")
        }
        return difference
    }

    /// UTC of a value, if it is a date or counts from 1970.
    func utcMicroseconds(_ instant: Instant) -> Int64? {
        switch instant {
        case .microseconds(let value): return value
        case .whole, .number:
            let microseconds = Self.number(instant) * (unitNanoseconds ?? 1e3) / 1_000
            // A smaller number cannot count from 1970: it would be before 2001.
            guard microseconds > 1e15, let whole = Int64(exactly: microseconds.rounded()) else { return nil }
            return whole
        }
    }

    private func difference(_ first: Instant, _ instant: Instant) -> Int64? {
        let unit = unitNanoseconds ?? 1_000
        switch (first, instant) {
        case (.whole(let first), .whole(let last)), (.microseconds(let first), .microseconds(let last)):
            let (units, overflow) = last.subtractingReportingOverflow(first)
            let (product, overflowed) = units.multipliedReportingOverflow(by: Int64(clamping: unit))
            return overflow || overflowed || units == .min ? nil : product
        default:
            // Beyond 2^53 the difference of two doubles would be mostly rounding.
            return Int64(exactly: ((Self.number(instant) - Self.number(first)) * unit).rounded())
        }
    }

    private static func number(_ instant: Instant) -> Double {
        switch instant {
        case .whole(let value), .microseconds(let value): Double(value)
        case .number(let value): value
        }
    }
}
