public import Readings

/// Imports a table whose columns are recognised by name, or named by the user.
///
/// It knows this program's own names, those of common loggers (`lat`, `lon`, `ele`; `x`, `ax`, `acc_x`, `Acceleration x
/// (m/s^2)`, `gFx`; `time`, `timestamp`, `seconds_elapsed`), and units in brackets or behind a name. A table may have any number of
/// sensors, and becomes all of them. A user's `x=NAME` has priority; a unit follows after a colon if the name does not have it
/// (`time=t:ms`, `x=acc:g`).
///
/// An import takes what is right: a row that is not is left out, and counted with its reason.
public struct TableImport {
    /// Columns that the user named, by role: a name, a unit, or both.
    public typealias Names = [String: (column: String?, unit: String?)]

    /// The roles that the user may name.
    static let roles =
        ["time"] + Set(Kind.all.flatMap { $0.row.channels.map(\.description) }).sorted()
        + LocationColumn.all.map(\.name)

    /// Reads a table; `names` are `role=column` pairs, separated by commas.
    ///
    /// Without a kind, the names of the columns decide, or a column with names of resources. Returns what was left out.
    public static func read(
        _ content: FileContent, naming names: String?, intervalNanoseconds: Int64?, kind: Kind? = nil,
        _ take: ImportedSample.Taker
    ) throws(FormatError) -> ConversionNotes {
        let content = try WideText.decoded(content)
        var table = try CSVTable(content)
        let named = try parse(names ?? "")
        guard let first = try table.next() else { throw FormatError("there is no row below the header") }
        let clock = intervalNanoseconds == nil ? try TableClock.find(content, named) : nil
        let layout = try TableLayout(table.columns, named, kind ?? self.kind(of: first, table), clock: clock)
        guard !layout.places.isEmpty || !layout.sensors.isEmpty else { throw unrecognised(table, kind) }
        guard clock != nil || intervalNanoseconds != nil else {
            throw FormatError(
                "there is no column with times; name it, or give the interval of the rows: --interval 10ms")
        }
        var reader = TableSamples(
            layout, clock, TableRow(layout: layout, columns: table.columns, separator: table.separator),
            intervalNanoseconds: intervalNanoseconds)
        return try reader.read(content, take)
    }

    /// The values of a table that was read completely, with their offsets in time; nil if no column has times, or if
    /// they are not to be used.
    ///
    /// Anything that is wrong is an error.
    package static func values(
        of kind: Kind, _ bytes: [UInt8], _ names: Names, isTimed: Bool
    ) throws(FormatError) -> [(offsetNanoseconds: Int64?, values: Values)] {
        let content = try WideText.decoded(FileContent(bytes))
        var table = try CSVTable(content)
        var clock = isTimed ? try TableClock.find(content, names) : nil
        let layout = try TableLayout(table.columns, names, kind, clock: clock)
        guard let sensor = layout.sensors.first else {
            guard !table.columns.areValues else {
                throw FormatError("it has no header: add a first line with the names of its columns, such as t,x,y,z")
            }
            throw FormatError(
                "none of the columns \(table.columns.columnWords) is recognised as \(kind.channelWords): name them")
        }
        let cells = TableRow(layout: layout, columns: table.columns, separator: table.separator)
        var samples: [(offsetNanoseconds: Int64?, values: Values)] = []
        while let row = try table.next() {
            guard row.cells.count <= table.columns.count else {
                throw FormatError(
                    line: row.line, "\(row.cells.count) cells, but the header has \(table.columns.count) columns")
            }
            switch cells.outcome(of: sensor, row) {
            case .nothing: continue
            case .fault(_, let error): throw error
            case .measurement(let measurement):
                guard case .values(let values) = measurement else { continue }
                var offset: Int64?
                if let column = clock?.column {
                    guard let instant = clock?.instant(row, separator: table.separator) else {
                        throw TableSamples.noTime(row, table.columns[column])
                    }
                    guard samples.last.map({ $0.offsetNanoseconds ?? 0 < instant.offsetNanoseconds }) ?? true else {
                        throw FormatError(line: row.line, "its time is not later than that of the previous row")
                    }
                    offset = instant.offsetNanoseconds
                }
                samples.append((offset, values))
            }
        }
        guard !samples.isEmpty else { throw FormatError("no row has all of \(kind.channelWords)") }
        return samples
    }

    private static func unrecognised(_ table: CSVTable, _ kind: Kind?) -> FormatError {
        guard !table.columns.areValues else {
            return FormatError("it has no header: add a first line with the names of its columns, such as t,x,y,z")
        }
        let wanted =
            switch kind {
            case .location?: "latitude and longitude"
            case let kind?: "\(kind.channelWords) of \(kind.wire)"
            case nil: "latitude and longitude, as x, y and z, or as the name of a sensor"
            }
        return FormatError(
            "none of the columns \(table.columns.columnWords) is recognised as \(wanted); "
                + "name them: --columns time=NAME,x=NAME,y=NAME,z=NAME")
    }

    static func parse(_ text: String) throws(FormatError) -> Names {
        var named: Names = [:]
        for pair in text.split(separator: ",") {
            let sides = pair.split(separator: "=", maxSplits: 1).map { String($0) }
            guard sides.count == 2, let role = role(sides[0]) else {
                throw FormatError(
                    "'\(String(pair).excerpt)' names no column: write time=NAME, x=NAME, latitude=NAME, separated by commas"
                )
            }
            let parts = sides[1].split(separator: ":", maxSplits: 1).map { String($0) }
            named[role] = (parts.first ?? "", parts.count == 2 ? parts[1] : nil)
        }
        return named
    }

    private static func role(_ text: String) -> String? {
        let name = ColumnName.plain(text)
        return roles.first { ColumnName.plain($0) == name }
            ?? LocationColumn.all.first { $0.otherNames.contains(name) }?.name
    }

    /// The kind of the resource in a row, if the row names one.
    private static func kind(of row: CSVReader.Row, _ table: CSVTable) -> Kind? {
        table.columns.firstIndex { ColumnName.plain($0) == "resource" }
            .flatMap { ResourceName(row.text($0)) }.flatMap { Kind(resource: $0.word) }
    }
}

extension [String] {
    /// Whether these are numbers and times, and so no names of columns.
    fileprivate var areValues: Bool {
        allSatisfy { DecimalNumber.value($0) != nil || TableTime.parts($0, .dayFirst) != nil }
    }
}
