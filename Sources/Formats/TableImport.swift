internal import Readings

/// A table whose columns are recognised by their names, or named by the user.
///
/// Known are this program's own names, those of common loggers (`lat`, `lon`, `ele`; `x`, `ax`, `acc_x`, `Acceleration x (m/s^2)`,
/// `gFx`; `time`, `timestamp`, `seconds_elapsed`), and units in brackets behind a name. A user's `x=NAME`, with a unit
/// behind a colon where the name does not say it (`time=t:ms`, `x=acc:g`), wins.
public struct TableImport {
    private let table: CSVTable
    private let named: [String: (column: String, unit: String?)]

    /// What the user may name.
    static let roles = ["time", "x", "y", "z"] + LocationColumn.all.map(\.name)

    /// Reads a table; the names are `role=column` pairs, separated by commas.
    public static func samples(
        _ bytes: [UInt8], naming names: String?, intervalNanoseconds: Int64?
    ) throws(FormatError) -> ImportedSamples {
        let reader = Self(table: try CSVTable(parsing: bytes), named: try parse(names ?? ""))
        guard !reader.table.rows.isEmpty else { throw FormatError("there is no row below its header") }
        if let columns = try reader.accelerationColumns(isTimed: intervalNanoseconds == nil) {
            return try ImportedSamples(
                accelerations: columns.samples(of: reader.table), intervalNanoseconds: intervalNanoseconds)
        }
        return try reader.locations(intervalNanoseconds)
    }

    private static func parse(_ text: String) throws(FormatError) -> [String: (column: String, unit: String?)] {
        var named: [String: (column: String, unit: String?)] = [:]
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
        let name = plain(text)
        return roles.first { plain($0) == name }
            ?? LocationColumn.all.first { $0.otherNames.contains(name) }?.name
    }

    // MARK: accelerations

    private func accelerationColumns(isTimed: Bool) throws(FormatError) -> AccelerationColumns? {
        var axes: [String] = []
        for axis in ["x", "y", "z"] {
            guard let column = named[axis]?.column ?? recognised(axis: axis) else { continue }
            axes.append(column)
        }
        guard axes.count == 3 else {
            guard named["x"] == nil, named["y"] == nil, named["z"] == nil else {
                throw FormatError("an acceleration needs all of x=NAME, y=NAME and z=NAME")
            }
            return nil
        }
        var columns = AccelerationColumns(x: axes[0], y: axes[1], z: axes[2])
        let unit = named["x"]?.unit ?? Self.unit(axes[0]) ?? (Self.plain(axes[0]).hasPrefix("gf") ? "g" : "m/s2")
        switch unit.lowercased() {
        case "g": columns.metersPerSecondSquared = AccelerationColumns.standardGravity
        case "mg": columns.metersPerSecondSquared = AccelerationColumns.standardGravity / 1_000
        case "m/s2", "m/s^2", "m/s²", "ms-2", "m s-2": break
        default: throw FormatError("'\(unit.excerpt)' is no unit of an acceleration: m/s2, g or mg")
        }
        if isTimed, let clock = try timeColumn() {
            (columns.time, columns.timeUnitNanoseconds) = (clock.name, clock.unitNanoseconds)
        }
        return columns
    }

    private func recognised(axis: String) -> String? {
        let prefixes = ["", "a", "acc", "accel", "acceleration", "accelerometer", "accelerometeracceleration", "gf"]
        let suffixes = ["axis"]
        let known = prefixes.map { $0 + axis } + suffixes.map { axis + $0 } + prefixes.dropFirst(2).map { axis + $0 }
        for name in known {
            if let column = table.columns.first(where: { Self.plain($0) == name }) { return column }
        }
        return nil
    }

    // MARK: times

    private func timeColumn() throws(FormatError) -> (name: String, unitNanoseconds: Double?)? {
        let known = [
            "timestampnanoseconds", "utcmicroseconds", "time", "timestamp", "datetime", "t", "secondselapsed",
            "seconds",
            "milliseconds", "loggingtime", "date",
        ]
        let found = known.lazy.compactMap { name in table.columns.first { Self.plain($0) == name } }.first
        guard let name = named["time"]?.column ?? found else { return nil }
        let index = try table.index(of: name)
        guard let unit = named["time"]?.unit ?? Self.unit(name) ?? Self.unitInName(name) else {
            return (name, usualUnit(of: index))
        }
        switch unit.lowercased() {
        case "s", "sec", "seconds": return (name, 1e9)
        case "ms", "milliseconds": return (name, 1e6)
        case "us", "µs", "microseconds": return (name, 1e3)
        case "ns", "nanoseconds": return (name, 1)
        case "utc", "iso": return (name, nil)
        default: throw FormatError("'\(unit.excerpt)' is no unit of time: s, ms, us, ns, or utc for dates")
        }
    }

    /// A number so large counts from 1970, and its size tells the unit; a smaller one is seconds.
    ///
    /// What is no number is a date.
    private func usualUnit(of index: Int) -> Double? {
        let text = table.rows.lazy.compactMap { index < $0.cells.count ? $0.cells[index] : nil }.first { !$0.isEmpty }
        guard let value = text.flatMap({ DecimalNumber.value($0) }) else { return nil }
        switch abs(value) {
        case 1e17...: return 1
        case 1e14...: return 1e3
        case 1e11...: return 1e6
        default: return 1e9
        }
    }

    // MARK: locations

    /// A column of the table, what it says, and what one of its units is in ours.
    private struct Place {
        let index: Int
        let column: LocationColumn
        let factor: Double
    }

    private static func factor(of unit: String?, _ column: LocationColumn) throws(FormatError) -> Double {
        guard let unit = unit?.lowercased() else { return 1 }
        if column.name.hasPrefix("speed") || column.name.hasPrefix("climb") {
            switch unit {
            case "m/s": return 1
            case "km/h", "kmh", "kph": return 1 / 3.6
            case "mph": return 0.44704
            case "kn", "kt", "kts", "knots": return 1_852.0 / 3_600
            default: throw FormatError("'\(unit.excerpt)' is no unit of a speed: m/s, km/h, mph or kn")
            }
        }
        return column.name.hasSuffix("Meters") && ["ft", "feet"].contains(unit) ? 0.3048 : 1
    }

    private func locations(_ intervalNanoseconds: Int64?) throws(FormatError) -> ImportedSamples {
        var columns: [Place] = []
        for column in LocationColumn.all {
            let own = named[column.name]?.column
            let found = table.columns.first {
                column.otherNames.contains(Self.plain($0)) || Self.plain($0) == Self.plain(column.name)
            }
            guard let name = own ?? found else { continue }
            let unit = named[column.name]?.unit ?? Self.unit(name)
            columns.append(
                Place(index: try table.index(of: name), column: column, factor: try Self.factor(of: unit, column)))
        }
        let names = columns.map(\.column.name)
        guard names.contains("latitudeDegrees"), names.contains("longitudeDegrees") else {
            let known = table.columns.prefix(20).map { "'\($0.excerpt)'" }.joined(separator: ", ")
            throw FormatError(
                "of the columns \(known) none is known as latitude and longitude, or as x, y and z; "
                    + "name them: --columns x=NAME,y=NAME,z=NAME,time=NAME")
        }
        let clock = try timeColumn()
        let timeIndex = try clock.map { (clock) throws(FormatError) in try table.index(of: clock.name) }
        let fixIndex = table.columns.firstIndex { Self.plain($0) == "fix" }
        var samples: [ImportedSamples.Sample] = []
        var locations: [Location] = []
        var start: TimeColumn.Instant?
        for row in table.rows {
            guard var location = try location(row, columns, fixIndex) else { continue }
            guard intervalNanoseconds == nil, let clock, let timeIndex else {
                locations.append(location)
                continue
            }
            let time = TimeColumn(index: timeIndex, unitNanoseconds: clock.unitNanoseconds)
            let instant = try time.instant(row, table)
            location.utcMicroseconds = location.utcMicroseconds ?? time.utcMicroseconds(instant)
            let offset = try time.nanoseconds(from: start ?? instant, to: instant, row)
            start = start ?? instant
            guard offset > samples.last?.offsetNanoseconds ?? -1 else {
                throw FormatError(line: row.line, "its time is not later than that of the row before")
            }
            samples.append((offset, .location(location)))
        }
        guard !samples.isEmpty else {
            return try ImportedSamples(locations: locations, intervalNanoseconds: intervalNanoseconds)
        }
        guard case .location(let first)? = samples.first?.measurement else {
            throw FormatError("there is no location in it")
        }
        return ImportedSamples(samples, utcMicroseconds: first.utcMicroseconds)
    }

    /// nil where the row has neither a position nor the word that there is none.
    private func location(
        _ row: CSVReader.Row, _ columns: [Place], _ fixIndex: Int?
    ) throws(FormatError) -> Location? {
        var location = Location(fix: .none)
        for place in columns {
            let column = place.column
            guard let value = try table.number(row, place.index).map({ $0 * place.factor }) else { continue }
            guard column.put(value, into: &location) else {
                throw FormatError(
                    line: row.line,
                    "\(value) is no \(column.name); it is from \(column.range.lowerBound) to "
                        + "\(column.range.upperBound)")
            }
        }
        if let index = table.columns.firstIndex(of: "utcMicroseconds"), index < row.cells.count {
            location.utcMicroseconds = Int64(row.cells[index])
        }
        let said = fixIndex.flatMap { $0 < row.cells.count ? Location.Fix(rawValue: row.cells[$0]) : nil }
        guard location.latitudeDegrees != nil, location.longitudeDegrees != nil else {
            (location.latitudeDegrees, location.longitudeDegrees) = (nil, nil)
            return said == Location.Fix.none ? location : nil
        }
        location.fix = said ?? (location.altitudeMeters == nil ? .twoDimensional : .threeDimensional)
        return location
    }

    // MARK: names

    /// `Acceleration x (m/s^2)` is `accelerationx`.
    private static func plain(_ name: String) -> String {
        let front = name.prefix { $0 != "(" && $0 != "[" }
        return String(
            front.lowercased().unicodeScalars.filter { $0.properties.isAlphabetic || ("0"..."9").contains($0) })
    }

    /// `m/s^2` of `Acceleration x (m/s^2)`.
    private static func unit(_ name: String) -> String? {
        guard let open = name.lastIndex(where: { $0 == "(" || $0 == "[" }), let last = name.last, ")]".contains(last)
        else {
            return nil
        }
        return String(name[name.index(after: open)...].dropLast())
    }

    /// `nanoseconds` of `timestampNanoseconds`.
    private static func unitInName(_ name: String) -> String? {
        ["nanoseconds", "microseconds", "milliseconds", "seconds"].first {
            plain(name).hasSuffix($0) || plain(name) == $0 + "elapsed"
        }
    }
}
