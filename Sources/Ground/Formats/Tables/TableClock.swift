/// Where a table has its times, and in which form.
struct TableClock {
    enum Form {
        /// Numbers that count in a unit of so many nanoseconds.
        case numbers(Double)
        /// A date with a time of day, in one cell.
        case instants
        /// A time of day, with the date in another column or without one.
        case timesOfDay(dates: Int?)
    }

    /// A time in a row.
    struct Instant {
        /// Since the first row.
        var offsetNanoseconds: Int64
        /// UTC, if the table has it.
        var utcMicroseconds: Int64?
    }

    let column: Int
    let form: Form
    /// A column with the time in UTC beside timestamps that begin anywhere.
    var dates: Int?
    let order: TableTime.DateOrder?
    /// The first time: integers stay integers, since nanoseconds since 1970 do not fit a double.
    private var start: (whole: Int64?, number: Double)?
    private var midnights = Midnights()
    /// Whether a date came without a zone.
    private(set) var lacksZone = false
    /// Whether nothing shows the unit of its numbers.
    let lacksUnit: Bool

    init(column: Int, form: Form, dates: Int? = nil, order: TableTime.DateOrder? = nil, lacksUnit: Bool = false) {
        (self.column, self.form, self.dates, self.order) = (column, form, dates, order)
        self.lacksUnit = lacksUnit
    }

    /// A smaller number cannot: it would be before 2001.
    static func countsFrom1970(_ microseconds: Double) -> Bool { microseconds > 1e15 }

    /// Whether a row has no time at all.
    func isEmpty(_ row: CSVReader.Row) -> Bool { DecimalNumber.isUnknown(row.text(column)) }

    /// The time of a row; nil if it is not one.
    mutating func instant(_ row: CSVReader.Row, separator: UInt8) -> Instant? {
        switch form {
        case .numbers(let unit): return number(row, unit, separator)
        case .instants:
            guard let parts = TableTime.parts(row.text(column), order) else { return nil }
            // A day without a time of day is its beginning.
            guard let day = parts.day else { return nil }
            lacksZone = lacksZone || !parts.hasZone
            return since(day * 86_400_000_000 + (parts.timeOfDay ?? 0))
        case .timesOfDay(let dates): return timeOfDay(row, dates)
        }
    }

    private mutating func number(_ row: CSVReader.Row, _ unit: Double, _ separator: UInt8) -> Instant? {
        let text = row.text(column)
        let whole = unit >= 1 && unit == unit.rounded() ? Int64(text) : nil
        // Nanoseconds that are too many for an integer are no time.
        guard case .value(let number) = TableCell.number(text, separator: separator),
            Int64(exactly: (number * unit).rounded()) != nil
        else { return nil }
        let first = start ?? (whole, number)
        start = first
        let microseconds = number * unit / 1_000
        var utc = Self.countsFrom1970(microseconds) ? Int64(exactly: microseconds.rounded()) : nil
        if let dates { utc = TableTime.parts(row.text(dates), order)?.utcMicroseconds ?? utc }
        utc = utc.flatMap { CalendarTime.possible($0) }
        if let whole, let begin = first.whole, let step = Int64(exactly: unit) {
            let (units, overflow) = whole.subtractingReportingOverflow(begin)
            let (offset, overflowed) = units.multipliedReportingOverflow(by: step)
            return overflow || overflowed ? nil : Instant(offsetNanoseconds: offset, utcMicroseconds: utc)
        }
        // Beyond 2^53 the difference of two doubles would be mostly rounding.
        return Int64(exactly: ((number - first.number) * unit).rounded())
            .map { Instant(offsetNanoseconds: $0, utcMicroseconds: utc) }
    }

    private mutating func timeOfDay(_ row: CSVReader.Row, _ dates: Int?) -> Instant? {
        let parts = TableTime.parts(row.text(column), order)
        let time =
            parts.flatMap { $0.day == nil ? $0.timeOfDay : nil } ?? CalendarTime.timeOfDay(digits: row.text(column))
        guard let time else { return nil }
        if let dates {
            let text = row.text(dates)
            guard let day = TableTime.bareDate(text) ?? TableTime.parts(text, order)?.day else { return nil }
            lacksZone = lacksZone || parts?.hasZone != true
            return since(day * 86_400_000_000 + time)
        }
        midnights.pass(to: time)
        var instant = since(midnights.count * 86_400_000_000 + time)
        instant?.utcMicroseconds = nil
        return instant
    }

    private mutating func since(_ microseconds: Int64) -> Instant? {
        guard CalendarTime.possible(microseconds) != nil else { return nil }
        let first = start?.whole ?? microseconds
        start = (first, 0)
        let (distance, overflow) = microseconds.subtractingReportingOverflow(first)
        let (offset, overflowed) = distance.multipliedReportingOverflow(by: 1_000)
        return overflow || overflowed ? nil : Instant(offsetNanoseconds: offset, utcMicroseconds: microseconds)
    }
}
