/// Which columns of a table have its times.
extension TableClock {
    /// The usual names, best first; each with its unit in nanoseconds if the name has it.
    private static let names: [(words: String, unit: Double?)] = [
        ("timestampnanoseconds", 1), ("utcmicroseconds", 1e3), ("time", nil), ("timestamp", nil), ("datetime", nil),
        ("t", nil), ("secondselapsed", 1e9), ("seconds", 1e9), ("elapsed", nil), ("elapsedtime", nil),
        ("timeelapsed", nil), ("milliseconds", 1e6), ("millis", 1e6), ("microseconds", 1e3), ("micros", 1e3),
        ("loggingtime", nil), ("utc", nil), ("utctime", nil), ("timeutc", nil), ("datetimeutc", nil),
        ("utcdatetime", nil), ("timestamputc", nil), ("gpstime", nil), ("localtime", nil), ("unixtime", nil),
        ("unix", nil), ("epoch", nil), ("epochtime", nil), ("timestart", nil), ("timesincestart", nil),
        ("timesincestartinms", 1e6), ("recordedat", nil), ("yyyymoddhhmisssss", nil),
        ("date", nil),
    ]
    private static let dateNames = ["date", "utcdate", "dateutc", "gpsdate", "localdate", "day"]
    /// Rows that are looked at.
    private static let mostRows = 1_000

    /// Finds the columns by their names and by what is in them; nil if the table has no times.
    static func find(_ content: FileContent, _ named: TableImport.Names) throws(FormatError) -> Self? {
        var table = try CSVTable(content)
        let words = table.columns.map { ColumnName($0) }
        // The first text of each column, and the orders that its dates show.
        var texts = Array(repeating: "", count: table.columns.count)
        var orders: [Int: TableTime.DateOrder] = [:]
        var count = 0
        while count < mostRows, let row = try? table.next() {
            count += 1
            for (column, text) in row.cells.enumerated() where column < texts.count && !row.isDamaged {
                if texts[column].isEmpty, !DecimalNumber.isUnknown(text), !isBeyondTime(text) { texts[column] = text }
                if orders[column] == nil { orders[column] = TableTime.order(text) }
            }
        }
        var wanted: (column: Int, unit: String?)?
        if let name = named["time"]?.column { wanted = (try table.columns.index(ofColumn: name), named["time"]?.unit) }
        let search = ClockSearch(
            columns: words, texts: texts, orders: orders, separator: table.separator, isNamed: wanted != nil)
        return try search.clock(wanted, named["time"]?.unit)
    }

    /// The column with the best name of a time, and the nanoseconds of its unit if its name has that; nil if none has such a name.
    static func columnByName(_ columns: [ColumnName]) -> (column: Int, nanoseconds: Double?)? {
        for name in names {
            for (column, title) in columns.enumerated() {
                for reading in title.readings where reading.words == name.words {
                    guard reading.unit != nil else { return (column, name.unit) }
                    if let nanoseconds = ColumnUnit.nanoseconds(reading) { return (column, nanoseconds) }
                }
            }
        }
        return nil
    }

    /// Whether a number is too large for any count of time, and so shows nothing about its unit.
    private static func isBeyondTime(_ text: String) -> Bool {
        DecimalNumber.value(text).map { abs($0) >= 0x1p63 } ?? false
    }

    private struct ClockSearch {
        let columns: [ColumnName]
        let texts: [String]
        let orders: [Int: TableTime.DateOrder]
        let separator: UInt8
        let isNamed: Bool

        func clock(_ wanted: (column: Int, unit: String?)?, _ unit: String?) throws(FormatError) -> TableClock? {
            if let wanted { return try clock(wanted.column, unit: wanted.unit, isNamed: true) }
            var refusal: FormatError?
            var unknown: FormatError?
            // A date alone counts only if there is no time of day.
            var days: TableClock?
            for name in TableClock.names {
                for (column, title) in columns.enumerated() where !texts[column].isEmpty {
                    // A date is seen to be one; a number may be in any unit, even in one that is not known here.
                    guard
                        let reading = title.readings.first(where: { reading in
                            reading.words == name.words
                                && (reading.unit.map {
                                    ColumnUnit.nanoseconds(reading) != nil || isZone($0)
                                        || TableTime.parts(texts[column], orders[column]) != nil
                                } ?? true)
                        })
                    else { continue }
                    let stated = ColumnUnit.nanoseconds(reading) ?? name.unit
                    do throws(FormatError) {
                        if let clock = try clock(column, unit: unit, nanoseconds: stated) {
                            guard isDay(column), case .instants = clock.form else { return clock }
                            days = days ?? clock
                            continue
                        }
                    } catch { refusal = refusal ?? error }
                    unknown = unknown ?? unknownForm(of: column)
                }
            }
            if let refusal { throw refusal }
            if let days { return days }
            // Under any other name, only a date with a time of day is a time for certain.
            guard let column = instants(besides: nil, named: false) else {
                if let unknown { throw unknown }
                return nil
            }
            return try clock(column, unit: nil)
        }

        private func isDay(_ column: Int) -> Bool {
            TableTime.parts(texts[column], orders[column])?.timeOfDay == nil
        }

        private func isZone(_ unit: String) -> Bool {
            ["utc", "gmt", "iso", "iso8601", "local", "z", "unix", "epoch"].contains(unit.lowercased())
        }

        /// The clock of a column; nil if what is in it is no time.
        private func clock(
            _ column: Int, unit: String?, nanoseconds: Double? = nil, isNamed: Bool = false
        ) throws(FormatError) -> TableClock? {
            var (stated, statedOrder) = (nanoseconds, TableTime.DateOrder?.none)
            if isNamed, unit == nil {
                stated =
                    columns[column].readings.lazy.compactMap { ColumnUnit.nanoseconds($0) }.first
                    ?? TableClock.names.first { $0.words == columns[column].words }?.unit
            }
            if let unit {
                statedOrder = TableTime.DateOrder(rawValue: unit.lowercased())
                stated = ColumnUnit.nanoseconds(unit)
                guard stated != nil || statedOrder != nil || ["utc", "iso", "date"].contains(unit.lowercased()) else {
                    throw FormatError(
                        "'\(unit.excerpt)' is not a unit of time: s, ms, us, ns, min, h, or utc, dmy, mdy or ymd for dates"
                    )
                }
            }
            let text = texts[column]
            let date = dateColumn(besides: column, statedOrder)
            let order = statedOrder ?? orders[column] ?? date.flatMap { orders[$0] }
            if let stated {
                return TableClock(
                    column: column, form: .numbers(stated), dates: instants(besides: column), order: order)
            }
            if let parts = TableTime.parts(text, order) {
                if parts.day == nil {
                    if mayBeDate(column) { throw ambiguity(of: text, besides: column) }
                    try checkDates(besides: column, date)
                }
                let form: Form = parts.day == nil ? .timesOfDay(dates: date) : .instants
                return TableClock(column: column, form: form, order: order)
            }
            guard case .value(let number) = TableCell.number(text, separator: separator) else {
                if isAmbiguous(text) { throw ambiguity(of: text, besides: column) }
                return nil
            }
            if text.utf8.count >= 5, CalendarTime.timeOfDay(digits: text) != nil {
                try checkDates(besides: column, date)
                if date != nil { return TableClock(column: column, form: .timesOfDay(dates: date), order: order) }
            }
            if column == dateColumn(besides: nil, statedOrder) { return nil }
            let dates = instants(besides: column)
            let unit = Self.usualUnit(number)
            return TableClock(
                column: column, form: .numbers(unit), dates: dates, order: order,
                lacksUnit: dates == nil && !TableClock.countsFrom1970(number * unit / 1_000))
        }

        /// A column with dates that have no time of day.
        private func dateColumn(besides column: Int?, _ order: TableTime.DateOrder?) -> Int? {
            columns.indices.first { index in
                guard index != column, dateNames.contains(columns[index].words) else { return false }
                if TableTime.bareDate(texts[index]) != nil { return true }
                let parts = TableTime.parts(texts[index], order ?? orders[index])
                return parts?.day != nil && parts?.timeOfDay == nil
            }
        }

        /// Throws if times of day have no dates, although a column looks like those.
        private func checkDates(besides column: Int, _ date: Int?) throws(FormatError) {
            guard date == nil else { return }
            let other = columns.indices.first { $0 != column && mayBeDate($0) }
            if let other { throw ambiguity(of: texts[other], besides: column) }
        }

        /// Whether a column is named as one of dates, and has one in any order, although it may be a time of day as well.
        private func mayBeDate(_ column: Int) -> Bool {
            dateNames.contains(columns[column].words) && isAmbiguous(texts[column])
        }

        private func isAmbiguous(_ text: String) -> Bool {
            TableTime.parts(text, nil)?.day == nil && TableTime.parts(text, .dayFirst)?.day != nil
        }

        private func unknownForm(of column: Int) -> FormatError {
            FormatError(
                "'\(texts[column].excerpt)' in column '\(columns[column].text.excerpt)' is not a time that is known; write it like 12.5 or "
                    + "2026-11-21T12:03:04.5Z, or give the interval of the rows: --interval 10ms")
        }

        private func ambiguity(of text: String, besides column: Int) -> FormatError {
            let name = columns[column].text.excerpt
            return FormatError(
                "dates like '\(text.excerpt)' do not show whether they begin with the day, the month or the year: say which with "
                    + "--columns time=\(name):dmy, time=\(name):mdy or time=\(name):ymd")
        }

        /// A column with dates and times of day.
        private func instants(besides column: Int?, named isNamed: Bool = true) -> Int? {
            columns.indices.first { index in
                index != column && (!isNamed || TableClock.names.contains { $0.words == columns[index].words })
                    && TableTime.parts(texts[index], orders[index])?.utcMicroseconds != nil
            }
        }

        /// A number this large counts from 1970, and its size shows the unit; a smaller one is in seconds.
        private static func usualUnit(_ number: Double) -> Double {
            switch abs(number) {
            case 1e17...: 1
            case 1e14...: 1e3
            case 1e11...: 1e6
            default: 1e9
            }
        }
    }
}
