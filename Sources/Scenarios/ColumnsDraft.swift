internal import Configuration
internal import Formats
internal import Mock
internal import Readings

/// Columns of a file of comma-separated values, while it is found out which are meant.
struct ColumnsDraft {
    /// In what a column of times counts.
    enum Time: Equatable {
        case nanoseconds(Double)
        case dates
    }

    /// The file.
    let name: String

    /// Names that such columns usually have, in the order in which they are looked for; see `ColumnName`.
    private static let usual: [[String]] = ["x", "y", "z"].map { axis in
        [
            axis, "a" + axis, "acc" + axis, "accel" + axis, "acceleration" + axis, "accelerometer" + axis, axis + "acc",
            "gf" + axis,
        ]
    }
    private static let usualTimes = [
        "time", "t", "timestamp", "seconds", "elapsed", "secondselapsed", "elapsedtime", "timestampnanoseconds",
    ]

    /// The values in it, by the columns that are named, or by their usual names.
    func series(
        _ names: [String], _ metersPerSecondSquared: Double?, _ time: Time?, isRepeated: Bool, _ files: ScenarioFiles
    ) throws(Refusal) -> AccelerationSeries {
        let table = try files.read(name) { (bytes) throws(FormatError) in try CSVTable(parsing: bytes) }
        let (axes, timeName) = try columns(names, of: table)
        var columns = AccelerationColumns(
            x: axes[0], y: axes[1], z: axes[2], time: timeName,
            metersPerSecondSquared: metersPerSecondSquared ?? ColumnName(axes[0]).metersPerSecondSquared ?? 1,
            timeUnitNanoseconds: try timeName.map { (name) throws(Refusal) in try unit(of: name, time, table) } ?? nil)
        if timeName == nil { columns.timeUnitNanoseconds = nil }
        let wanted = columns
        let samples: [AccelerationColumns.Sample]
        do throws(FormatError) { samples = try wanted.samples(of: table) } catch {
            var refusal = Refusal(error.words)
            refusal.place = (try files.read(name).path, error.line)
            throw refusal
        }
        guard timeName != nil else { return AccelerationSeries(samples.map(\.acceleration), isRepeated: isRepeated) }
        return AccelerationSeries(
            samples.map { (offsetNanoseconds: $0.offsetNanoseconds ?? 0, acceleration: $0.acceleration) },
            isRepeated: isRepeated)
    }

    private func columns(_ names: [String], of table: CSVTable) throws(Refusal) -> (axes: [String], time: String?) {
        if names.count == 3 { return (names, nil) }
        if names.count == 4 { return (Array(names.dropFirst()), names[0]) }
        var axes: [String] = []
        for (axis, known) in zip(["x", "y", "z"], Self.usual) {
            guard let name = Self.first(known, of: table) else {
                let there = table.columns.prefix(20).map { "'\(ConfigurationProblem.excerpt($0, length: 24))'" }.joined(
                    separator: ", ")
                guard table.columns.contains(where: { DecimalNumber.value($0) == nil }) else {
                    throw Refusal(
                        "\(name) has no header: write the names of its columns into a first line, such as t,x,y,z")
                }
                throw Refusal(
                    "\(name): which column is \(axis)? There are \(there); name them: Columns=TIME, X, Y, Z, or X, Y, Z"
                )
            }
            axes.append(name)
        }
        return (axes, Self.first(Self.usualTimes, of: table))
    }

    /// Where nobody says, a column whose name has a unit is in that, one that begins with a date is of dates, and everything
    /// else is in seconds.
    private func unit(of column: String, _ said: Time?, _ table: CSVTable) throws(Refusal) -> Double? {
        switch said {
        case .nanoseconds(let unit): return unit
        case .dates: return nil
        case nil: break
        }
        if let unit = ColumnName(column).unitNanoseconds { return unit }
        let index = table.columns.firstIndex(of: column) ?? 0
        let first = table.rows.first.flatMap { index < $0.cells.count ? $0.cells[index] : nil } ?? ""
        if CalendarTime.microseconds(first) != nil { return nil }
        // Times since 1970, as they are now, say by their size what they are counted in.
        switch DecimalNumber.value(first) ?? 0 {
        case 1e17...: return 1
        case 1e14...: return 1e3
        case 1e11...: return 1e6
        default: return 1e9
        }
    }

    private static func first(_ known: [String], of table: CSVTable) -> String? {
        let there = table.columns.map { (name: $0, base: ColumnName($0).base) }
        for word in known {
            if let column = there.first(where: { $0.base == word }) { return column.name }
        }
        return nil
    }
}
