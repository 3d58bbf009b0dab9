public import Readings

/// Imports a table whose columns are recognised by name, or named by the user.
///
/// It knows this program's own names, those of common loggers (`lat`, `lon`, `ele`; `x`, `ax`, `acc_x`, `Acceleration x
/// (m/s^2)`, `gFx`; `time`, `timestamp`, `seconds_elapsed`), and units in brackets after a name. A user's `x=NAME` has
/// priority; a unit follows after a colon if the name does not have it (`time=t:ms`, `x=acc:g`).
public struct TableImport {
    /// Columns that the user named, by role: a name, a unit, or both.
    public typealias Names = [String: (column: String?, unit: String?)]

    let content: FileContent
    /// The header; reading the rows starts again at the top.
    let table: CSVTable
    let named: Names

    /// The roles that the user may name.
    static let roles =
        ["time"] + Set(Kind.all.flatMap { $0.row.channels.map(\.description) }).sorted()
        + LocationColumn.all.map(\.name)

    /// Reads a table; `names` are `role=column` pairs, separated by commas.
    ///
    /// Without a kind, the names of the columns decide, or a column with names of resources. Returns a message for each
    /// thing that was skipped.
    public static func read(
        _ content: FileContent, naming names: String?, intervalNanoseconds: Int64?, kind: Kind? = nil,
        _ take: ImportedSample.Taker
    ) throws(FormatError) -> [String] {
        let reader = Self(content: content, table: try CSVTable(content), named: try parse(names ?? ""))
        var rows = try CSVTable(content)
        guard let first = try rows.next() else { throw FormatError("there is no row below the header") }
        let isTimed = intervalNanoseconds == nil
        guard let columns = try reader.valueColumns(of: kind ?? reader.kind(of: first), isTimed: isTimed) else {
            return try reader.locations(intervalNanoseconds, take)
        }
        try reader.read(columns, intervalNanoseconds, take)
        return []
    }

    /// The values of a table that was read completely, with their offsets in time; nil if no column has times, or if
    /// they are not to be used.
    public static func values(
        of kind: Kind, _ bytes: [UInt8], _ names: Names, isTimed: Bool
    ) throws(FormatError) -> [(offsetNanoseconds: Int64?, values: Values)] {
        let content = FileContent(bytes)
        let reader = Self(content: content, table: try CSVTable(content), named: names)
        guard let columns = try reader.valueColumns(of: kind, isTimed: isTimed) else {
            let there = reader.table.columns.prefix(20).map { "'\($0.excerpt)'" }.joined(separator: ", ")
            guard reader.table.columns.contains(where: { DecimalNumber.value($0) == nil }) else {
                throw FormatError("it has no header: add a first line with the names of its columns, such as t,x,y,z")
            }
            throw FormatError("none of the columns \(there) is recognised as \(kind.channelWords): name them")
        }
        var samples: [ValueColumns.Sample] = []
        var rows = try CSVTable(content)
        try columns.read(&rows) { (sample, _) throws(FormatError) in samples.append(sample) }
        return samples
    }

    private func read(
        _ columns: ValueColumns, _ intervalNanoseconds: Int64?, _ take: ImportedSample.Taker
    ) throws(FormatError) {
        let clock = try columns.time.map { (name) throws(FormatError) in
            TimeColumn(index: try table.index(of: name), unitNanoseconds: columns.timeUnitNanoseconds)
        }
        // A column with the time of day may stand beside timestamps with an arbitrary start.
        let dates = table.columns.firstIndex { Self.plain($0) == "time" && $0 != columns.time }
        var rows = try CSVTable(content)
        var index = 0
        try columns.read(&rows) { (sample, row) throws(FormatError) in
            guard let offset = sample.offsetNanoseconds ?? intervalNanoseconds.map({ ImportedSample.offset(index, $0) })
            else {
                throw FormatError(
                    "there is no column with times; name it, or give the interval of the rows: --interval 10ms")
            }
            let date = dates.flatMap { $0 < row.cells.count ? CalendarTime.microseconds(row.cells[$0]) : nil }
            let instant = try index > 0 ? nil : clock?.instant(row, table)
            let utc = index > 0 ? nil : date ?? instant.flatMap { clock?.utcMicroseconds($0) }
            index += 1
            try take(
                ImportedSample(
                    offsetNanoseconds: offset, measurement: .values(sample.values), utcMicroseconds: utc),
                row.line)
        }
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

    static func role(_ text: String) -> String? {
        let name = plain(text)
        return roles.first { plain($0) == name }
            ?? LocationColumn.all.first { $0.otherNames.contains(name) }?.name
    }

    // MARK: values

    /// The kind of the resource in a row, if the row names one.
    private func kind(of row: CSVReader.Row) -> Kind? {
        guard let index = table.columns.firstIndex(where: { Self.plain($0) == "resource" }), index < row.cells.count
        else { return nil }
        return ResourceName(row.cells[index]).flatMap { Kind(resource: $0.word) }
    }

    /// The columns of a kind or, without one, of the first kind whose columns are all there.
    func valueColumns(of kind: Kind?, isTimed: Bool) throws(FormatError) -> ValueColumns? {
        if let kind { return try columns(of: kind, isTimed: isTimed) }
        var refusal: FormatError?
        let hasPositions = hasPositions
        for kind in Kind.all where kind.row.form == .values {
            // A track logger may also record a temperature.
            if hasPositions, kind.row.channels.count < 3 { continue }
            // The unit may belong to another kind.
            do throws(FormatError) {
                if let columns = try columns(of: kind, isTimed: isTimed, isGuess: true) { return columns }
            } catch { refusal = refusal ?? error }
        }
        if let refusal { throw refusal }
        return nil
    }

    private var hasPositions: Bool {
        LocationColumn.all.filter(\.field.isCoordinate).allSatisfy { coordinate in
            named[coordinate.name] != nil
                || table.columns.contains { name in
                    let name = Self.plain(name)
                    return coordinate.otherNames.contains(name) || name == Self.plain(coordinate.name)
                }
        }
    }

    private func columns(of kind: Kind, isTimed: Bool, isGuess: Bool = false) throws(FormatError) -> ValueColumns? {
        let channels = kind.row.channels.map(\.description)
        guard !channels.isEmpty else { return nil }
        let found = channels.compactMap { named[$0]?.column ?? recognised($0, of: kind, isGuess: isGuess) }
        guard found.count == channels.count else {
            guard channels.allSatisfy({ named[$0]?.column == nil }) else {
                let words = channels.map { "\($0)=NAME" }
                let all = words.dropLast().joined(separator: ", ") + " and " + (words.last ?? "")
                throw FormatError("\(kind.wire) needs all of \(all)")
            }
            return nil
        }
        var columns = ValueColumns(kind, found)
        let said = channels.compactMap { named[$0]?.unit }
        let units = said.isEmpty ? found.compactMap { Self.unit($0) } : said
        let unit = units.first
        if let other = units.first(where: { $0 != unit }), let unit {
            throw FormatError("columns are in '\(unit.excerpt)' and '\(other.excerpt)': use one unit for all")
        }
        // A name such as `gFx` implies the unit.
        if unit == nil, kind == .acceleration, Self.plain(found[0]).hasPrefix("gf") {
            columns.factor = kind.row.unit.factor(of: "g") ?? 1
        }
        if let unit {
            guard let factor = kind.row.unit.factor(of: unit) ?? kind.row.unit.factor(of: unit.lowercased()) else {
                throw FormatError("'\(unit.excerpt)' is not a unit of \(kind.wire): \(kind.row.unit.words)")
            }
            columns.factor = factor
        }
        if isTimed, let clock = try timeColumn() {
            (columns.time, columns.timeUnitNanoseconds) = (clock.name, clock.unitNanoseconds)
        }
        return columns
    }

    func recognised(_ channel: String, of kind: Kind, isGuess: Bool = false) -> String? {
        let isBareKnown = !isGuess || kind.row.channels.count >= 3
        let (channel, wire, resource) = (Self.plain(channel), Self.plain(kind.wire), kind.row.resource)
        let words = kind.row.otherNames + [wire, resource, resource + wire]
        // A bare `x` is common in a table with a single sensor; the one number of a kind has the name of the kind itself.
        let known =
            (kind.row.channels.count == 1 ? words : []) + (isBareKnown ? [channel] : []) + words.map { $0 + channel }
            + [channel + "axis"]
            + words.filter { $0.count > 1 }.map { channel + $0 }
        for name in known {
            if let column = table.columns.first(where: { Self.plain($0) == name }) { return column }
        }
        return nil
    }

    // MARK: times

    func timeColumn() throws(FormatError) -> (name: String, unitNanoseconds: Double?)? {
        let known = [
            "timestampnanoseconds", "utcmicroseconds", "time", "timestamp", "datetime", "t", "secondselapsed",
            "seconds", "elapsed", "elapsedtime", "milliseconds", "loggingtime", "date",
        ]
        let found = known.lazy.compactMap { name in table.columns.first { Self.plain($0) == name } }.first
        guard let name = named["time"]?.column ?? found else { return nil }
        let index = try table.index(of: name)
        guard let unit = named["time"]?.unit ?? Self.unit(name) ?? Self.unitInName(name) else {
            return (name, try usualUnit(of: index))
        }
        switch unit.lowercased() {
        case "s", "sec", "seconds": return (name, 1e9)
        case "ms", "milliseconds": return (name, 1e6)
        case "us", "µs", "microseconds": return (name, 1e3)
        case "ns", "nanoseconds": return (name, 1)
        case "utc", "iso", "date": return (name, nil)
        default: throw FormatError("'\(unit.excerpt)' is not a unit of time: s, ms, us, ns, or utc for dates")
        }
    }

    /// A number this large counts from 1970, and its size tells the unit; a smaller one is in seconds.
    ///
    /// Text that is no number is a date.
    func usualUnit(of index: Int) throws(FormatError) -> Double? {
        var rows = try CSVTable(content)
        var text = ""
        while text.isEmpty, let row = try rows.next() { text = index < row.cells.count ? row.cells[index] : "" }
        guard let value = DecimalNumber.value(text) else { return nil }
        switch abs(value) {
        case 1e17...: return 1
        case 1e14...: return 1e3
        case 1e11...: return 1e6
        default: return 1e9
        }
    }
}

/// What can be read from the name of a column.
extension TableImport {
    /// `Acceleration x (m/s^2)` is `accelerationx`.
    static func plain(_ name: String) -> String {
        let bare = unitBehindLine(name) == nil ? name[...] : name[..<(name.lastIndex(of: "_") ?? name.endIndex)]
        let front = bare.prefix { $0 != "(" && $0 != "[" }
        return String(
            front.lowercased().unicodeScalars.filter { $0.properties.isAlphabetic || ("0"..."9").contains($0) })
    }

    /// `ms` of `timestamp_ms`.
    private static func unitBehindLine(_ name: String) -> String? {
        guard let line = name.lastIndex(of: "_") else { return nil }
        let unit = name[name.index(after: line)...].lowercased()
        return ["s", "sec", "ms", "us", "µs", "ns"].contains(unit) ? unit : nil
    }

    /// `m/s^2` of `Acceleration x (m/s^2)`.
    static func unit(_ name: String) -> String? {
        if let unit = unitBehindLine(name) { return unit }
        guard let open = name.lastIndex(where: { $0 == "(" || $0 == "[" }), let last = name.last, ")]".contains(last)
        else {
            return nil
        }
        return String(name[name.index(after: open)...].dropLast())
    }

    /// `nanoseconds` of `timestampNanoseconds`.
    static func unitInName(_ name: String) -> String? {
        ["nanoseconds", "microseconds", "milliseconds", "seconds"].first {
            plain(name).hasSuffix($0) || plain(name) == $0 + "elapsed"
        }
    }
}
