internal import Readings

/// Tables of locations.
extension TableImport {
    /// A column, its field, and the factor from its unit to ours.
    struct Place {
        let index: Int
        let column: LocationColumn
        let factor: Double
    }

    static func factor(of unit: String?, _ column: LocationColumn) throws(FormatError) -> Double {
        guard let unit = unit?.lowercased() else { return 1 }
        if column.name.hasPrefix("speed") || column.name.hasPrefix("climb") {
            switch unit {
            case "m/s": return 1
            case "km/h", "kmh", "kph": return 1 / 3.6
            case "mph": return 0.44704
            case "kn", "kt", "kts", "knots": return 1_852.0 / 3_600
            default: throw FormatError("'\(unit.excerpt)' is not a unit of a speed: m/s, km/h, mph or kn")
            }
        }
        return column.name.hasSuffix("Meters") && ["ft", "feet"].contains(unit) ? 0.3048 : 1
    }

    func locations(
        _ intervalNanoseconds: Int64?, _ take: ImportedSample.Taker
    ) throws(FormatError) -> [String] {
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
                "none of the columns \(known) is recognised as latitude and longitude, or as x, y and z; "
                    + "name them: --columns x=NAME,y=NAME,z=NAME,time=NAME")
        }
        let clock = try timeColumn()
        let timeIndex = try clock.map { (clock) throws(FormatError) in try table.index(of: clock.name) }
        let fixIndex = table.columns.firstIndex { Self.plain($0) == "fix" }
        var sequence = LocationSequence(intervalNanoseconds: intervalNanoseconds)
        var start: TimeColumn.Instant?
        var last: Int64 = -1
        var rows = try CSVTable(content)
        while let row = try rows.next() {
            guard var location = try location(row, columns, fixIndex) else { continue }
            guard intervalNanoseconds == nil, let clock, let timeIndex else {
                if let sample = sequence.sample(of: location) { try take(sample, row.line) }
                continue
            }
            let time = TimeColumn(index: timeIndex, unitNanoseconds: clock.unitNanoseconds)
            let instant = try time.instant(row, table)
            location.utcMicroseconds = location.utcMicroseconds ?? time.utcMicroseconds(instant)
            let offset = try time.nanoseconds(from: start ?? instant, to: instant, row)
            start = start ?? instant
            guard offset > last else {
                throw FormatError(line: row.line, "its time is not later than that of the previous row")
            }
            last = offset
            try take(
                ImportedSample(
                    offsetNanoseconds: offset, measurement: .location(location),
                    utcMicroseconds: location.utcMicroseconds), row.line)
        }
        return last < 0 ? try sequence.finish() : []
    }

    /// Nil if the row has neither a position nor a word for a missing fix.
    func location(
        _ row: CSVReader.Row, _ columns: [Place], _ fixIndex: Int?
    ) throws(FormatError) -> Location? {
        var location = Location(fix: .noPosition)
        for place in columns {
            let column = place.column
            guard column.field.words.isEmpty else {
                let word = place.index < row.cells.count ? row.cells[place.index] : ""
                column.field.put(column.field.value(of: word), into: &location)
                continue
            }
            guard let value = try table.number(row, place.index).map({ $0 * place.factor }) else { continue }
            // Programs write -1 for unknown, but in a position it is a value.
            guard column.put(value, into: &location) || !LocationColumn.position.contains(column.name) else {
                throw FormatError(
                    line: row.line,
                    "\(value) is not a valid \(column.name): the range is from \(column.field.range.lowerBound) to "
                        + "\(column.field.range.upperBound)")
            }
        }
        if let index = table.columns.firstIndex(of: "utcMicroseconds"), index < row.cells.count {
            location.utcMicroseconds = Int64(row.cells[index])
        }
        let said = fixIndex.flatMap { $0 < row.cells.count ? Location.Fix(rawValue: row.cells[$0]) : nil }
        guard location.latitudeDegrees != nil, location.longitudeDegrees != nil else {
            (location.latitudeDegrees, location.longitudeDegrees) = (nil, nil)
            return said == Location.Fix.noPosition ? location : nil
        }
        location.fix = said ?? (location.altitudeMeters == nil ? .twoDimensional : .threeDimensional)
        return location
    }
}
