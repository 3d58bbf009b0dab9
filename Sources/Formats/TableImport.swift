internal import Readings

/// A table whose columns are recognised by their names, or named by the user.
///
/// Known are this program's own names, those of common loggers (`lat`, `lon`, `ele`; `x`, `ax`, `acc_x`, `Acceleration x (m/s^2)`,
/// `gFx`; `time`, `timestamp`, `seconds_elapsed`), and units in brackets behind a name. A user's `x=NAME`, with a unit
/// behind a colon where the name does not say it (`time=t:ms`, `x=acc:g`), wins.
public struct TableImport {
    let table: CSVTable
    let named: [String: (column: String, unit: String?)]

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

    static func parse(_ text: String) throws(FormatError) -> [String: (column: String, unit: String?)] {
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

    static func role(_ text: String) -> String? {
        let name = plain(text)
        return roles.first { plain($0) == name }
            ?? LocationColumn.all.first { $0.otherNames.contains(name) }?.name
    }

    // MARK: accelerations

    func accelerationColumns(isTimed: Bool) throws(FormatError) -> AccelerationColumns? {
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

    func recognised(axis: String) -> String? {
        let prefixes = ["", "a", "acc", "accel", "acceleration", "accelerometer", "accelerometeracceleration", "gf"]
        let suffixes = ["axis"]
        let known = prefixes.map { $0 + axis } + suffixes.map { axis + $0 } + prefixes.dropFirst(2).map { axis + $0 }
        for name in known {
            if let column = table.columns.first(where: { Self.plain($0) == name }) { return column }
        }
        return nil
    }

    // MARK: times

    func timeColumn() throws(FormatError) -> (name: String, unitNanoseconds: Double?)? {
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
    func usualUnit(of index: Int) -> Double? {
        let text = table.rows.lazy.compactMap { index < $0.cells.count ? $0.cells[index] : nil }.first { !$0.isEmpty }
        guard let value = text.flatMap({ DecimalNumber.value($0) }) else { return nil }
        switch abs(value) {
        case 1e17...: return 1
        case 1e14...: return 1e3
        case 1e11...: return 1e6
        default: return 1e9
        }
    }
}
