internal import Readings

/// The samples of a table, for an import.
struct TableSamples {
    private typealias Timed = (sample: ImportedSample, line: Int)

    /// What a row holds of one sensor.
    private struct Found {
        let timeline: Int
        let measurement: Measurement
        let sensor: Int
    }

    private let layout: TableLayout
    private var clock: TableClock?
    private let cells: TableRow
    private let intervalNanoseconds: Int64?
    private var notes = ConversionNotes()
    /// The samples of each sensor, in the order of its times.
    private var times = SensorTimes<Timed>(unitsPerSecond: 1_000_000_000)
    /// The numbers of the resources in the rows, by their names.
    private var resources: [String: Int] = [:]
    private var index = 0
    /// Samples of rows, and those of them that were given.
    private var added = 0
    private var taken = 0
    private var linesAbove = 0
    /// The last cell of the row before.
    private var lastCell = ""
    private var firstFault: FormatError?

    private static let mostResources = 1_000

    init(_ layout: TableLayout, _ clock: TableClock?, _ cells: TableRow, intervalNanoseconds: Int64?) {
        (self.layout, self.clock, self.cells, self.intervalNanoseconds) = (layout, clock, cells, intervalNanoseconds)
    }

    static func noTime(_ row: CSVReader.Row, _ name: String) -> FormatError {
        FormatError(
            line: row.line, "there is no time in column '\(name.excerpt)', such as 12.5 or 2026-11-21T12:03:04.5Z")
    }

    mutating func read(
        _ content: FileContent, _ take: ImportedSample.Taker
    ) throws(FormatError) -> ConversionNotes {
        var rows = try TableRows(content, clock)
        linesAbove = rows.linesAbove
        if rows.isNewestFirst { notes.remark("its newest row comes first, so it was read from its end") }
        while true {
            let row: CSVReader.Row?
            do throws(FormatError) { row = try rows.next() } catch {
                // An error without a line is not one of the format, but of reading.
                guard error.line != nil, added > 0 else { throw error }
                notes.remark("\(error): everything before that was read")
                break
            }
            guard let row else { break }
            try read(row, take)
        }
        try give(times.finish(), take)
        guard taken > 0 else { throw firstFault ?? FormatError("no row has all of \(allWords)") }
        noteColumns()
        return notes
    }

    private mutating func read(_ row: CSVReader.Row, _ take: ImportedSample.Taker) throws(FormatError) {
        let number = index
        index += 1
        let extra = row.cells.dropFirst(cells.columns.count)
        if row.isDamaged { return leaveOut(row, "damaged by zeros, as after a power failure") }
        if extra.contains(where: { !$0.isEmpty }) { return leaveOut(row, "with more cells than the header") }
        if row.isUnterminated, row.cells.count < cells.columns.count { return leaveOut(row, "cut off in the middle") }
        guard let resource = resource(of: row) else {
            return leaveOut(row, "of more than \(Self.mostResources) resources")
        }
        if row.isUnterminated, let last = row.cells.last, last.utf8.count < lastCell.utf8.count {
            notes.remark("line \(row.line) has no end: if the file was cut off, so may its last value be")
        }
        lastCell = row.cells.last ?? ""
        var found: [Found] = []
        var isFaulty = false
        func sort(_ outcome: TableRow.Outcome, _ timeline: Int, _ name: String, _ sensor: Int) {
            switch outcome {
            case .measurement(let measurement):
                found.append(Found(timeline: timeline, measurement: measurement, sensor: sensor))
            case .nothing: break
            case .fault(let reason, let error):
                isFaulty = true
                firstFault = firstFault ?? error
                notes.leaveOut(isSingle ? "row" : "\(name) reading", reason, line: row.line)
            }
        }
        let timeline = resource * (layout.sensors.count + 1)
        if !layout.places.isEmpty {
            let location = cells.location(row) { column in
                notes.leaveOut("value", "of '\(cells.columns[column].excerpt)', not a number", line: row.line)
            }
            sort(location, timeline, "location", resource)
        }
        for (place, one) in layout.sensors.enumerated() {
            let number = resource == 0 ? one.number : resource * layout.count(of: one.kind) + one.number
            sort(cells.outcome(of: one, row), timeline + place + 1, one.kind.row.resource, number)
        }
        guard !found.isEmpty else {
            if !isFaulty { leaveOut(row, layout.sensors.isEmpty ? "without a position" : "without a value") }
            return
        }
        let instant: TableClock.Instant
        if let intervalNanoseconds {
            instant = TableClock.Instant(offsetNanoseconds: ImportedSample.offset(number, intervalNanoseconds))
        } else {
            guard let column = clock?.column, clock?.isEmpty(row) == false else {
                return leaveOut(row, "without a time")
            }
            guard let found = clock?.instant(row, separator: cells.separator) else {
                return leaveOut(row, "whose time cannot be read", Self.noTime(row, cells.columns[column]))
            }
            instant = found
        }
        for one in found { try add(one, instant, row, take) }
    }

    private mutating func add(
        _ found: Found, _ instant: TableClock.Instant, _ row: CSVReader.Row, _ take: ImportedSample.Taker
    ) throws(FormatError) {
        var (measurement, utc) = (found.measurement, instant.utcMicroseconds)
        if case .location(var location) = measurement {
            location.utcMicroseconds = location.utcMicroseconds ?? utc
            utc = utc ?? location.utcMicroseconds
            measurement = .location(location)
        }
        let sample = ImportedSample(
            offsetNanoseconds: instant.offsetNanoseconds, measurement: measurement, utcMicroseconds: utc,
            sensor: found.sensor)
        added += 1
        try give(times.add((sample, row.line), at: instant.offsetNanoseconds, of: found.timeline), take)
    }

    private mutating func give(
        _ timed: (next: [Timed], dropped: [Timed]), _ take: ImportedSample.Taker
    ) throws(FormatError) {
        for one in timed.dropped {
            notes.leaveOut(noun(of: one.sample), "not later than the one before", line: one.line)
        }
        taken += timed.next.count
        for one in timed.next { try take(one.sample, one.line) }
    }

    private mutating func leaveOut(_ row: CSVReader.Row, _ reason: String, _ error: FormatError? = nil) {
        firstFault = firstFault ?? error
        notes.leaveOut("row", reason, line: row.line)
    }

    /// Which of several resources a row is about; nil if there are too many.
    private mutating func resource(of row: CSVReader.Row) -> Int? {
        guard let column = layout.resource else { return 0 }
        let name = row.text(column)
        if let known = resources[name] { return known }
        guard resources.count < Self.mostResources else { return nil }
        resources[name] = resources.count
        return resources.count - 1
    }

    private var isSingle: Bool { layout.sensors.count + (layout.places.isEmpty ? 0 : 1) == 1 }

    private func noun(of sample: ImportedSample) -> String {
        isSingle ? "row" : "\(sample.measurement.kind.row.resource) reading"
    }

    private var allWords: String {
        layout.places.isEmpty ? layout.sensors.first?.kind.channelWords ?? "" : "latitude and longitude"
    }

    private mutating func noteColumns() {
        notes.leaveOut("line", "above the header", count: linesAbove)
        let names = layout.unusedNames
        if !names.isEmpty {
            let list = names.prefix(20).map(\.excerpt).joined(separator: ", ") + (names.count > 20 ? ", …" : "")
            notes.leaveOut("column", "(\(list))", count: names.count)
        }
        let assumed = (clock?.lacksUnit == true ? ["the time in s"] : []) + layout.assumedUnits
        if !assumed.isEmpty {
            notes.remark("taken for granted, as no column says a unit: \(assumed.joined(separator: ", "))")
        }
        if clock?.lacksZone == true { notes.remark("times without a zone were taken as UTC") }
    }
}
