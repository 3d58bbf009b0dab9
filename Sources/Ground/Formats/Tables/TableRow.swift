internal import Readings

/// Makes measurements of the rows of a table.
struct TableRow {
    /// What a row holds of one sensor.
    enum Outcome {
        case measurement(Measurement)
        /// The row is about something else.
        case nothing
        /// The row cannot be used: for which reason, and what exactly is wrong.
        case fault(reason: String, FormatError)
    }

    let layout: TableLayout
    let columns: [String]
    let separator: UInt8

    /// The values of a sensor.
    func outcome(of sensor: TableLayout.Sensor, _ row: CSVReader.Row) -> Outcome {
        var vector = SIMD4<Double>.zero
        var count = 0
        for (channel, index) in sensor.columns.enumerated() {
            let text = row.text(index)
            switch TableCell.value(
                text, separator: separator, sensor.unit, unitOf: { ColumnUnit.of(sensor.kind, $0) })
            {
            case .unknown: continue
            case .invalid: return notANumber(row, index)
            case .value(let value):
                guard sensor.kind.row.range.contains(value) else {
                    return .fault(
                        reason: "that cannot be",
                        FormatError(
                            line: row.line,
                            "\(text.excerpt) is not a possible \(sensor.kind.wire); is it in another unit?"))
                }
                vector[channel] = value
                count += 1
            }
        }
        if count == 0 { return .nothing }
        guard count == sensor.columns.count else {
            let words = "not all of \(sensor.kind.channelWords) have a value"
            return .fault(reason: "of which \(words)", FormatError(line: row.line, words))
        }
        return .measurement(.values(Values(sensor.kind, vector)))
    }

    /// The location; nothing if the row has neither a position nor a word for a missing fix.
    ///
    /// A value beside the position that is no number costs only itself: `leaveOut` gets its column.
    func location(_ row: CSVReader.Row, _ leaveOut: (Int) -> Void) -> Outcome {
        var location = Location(fix: .noPosition)
        for place in layout.places {
            let field = place.column.field
            guard field.words.isEmpty else {
                field.put(field.value(of: row.text(place.index)), into: &location)
                continue
            }
            let isCoordinate = field.isCoordinate
            let number =
                isCoordinate
                ? degrees(row, place)
                : TableCell.value(
                    row.text(place.index), separator: separator, place.unit, unitOf: { ColumnUnit.of(field, $0) })
            switch number {
            case .unknown: continue
            case .invalid where isCoordinate: return notANumber(row, place.index)
            case .invalid: leaveOut(place.index)
            case .value(let value):
                // Programs write -1 for unknown, but in a position it is a value.
                guard place.column.put(value, into: &location) || !isCoordinate else {
                    let range = place.column.field.range
                    return .fault(
                        reason: "whose position cannot be",
                        FormatError(
                            line: row.line,
                            "\(value) is not a valid \(place.column.name): the range is from "
                                + "\(range.lowerBound) to \(range.upperBound)"))
                }
            }
        }
        location.utcMicroseconds = layout.utc.flatMap { Int64(row.text($0)) }.flatMap { CalendarTime.possible($0) }
        let stated = layout.fix.flatMap { Self.fix(row.text($0)) }
        guard location.latitudeDegrees != nil, location.longitudeDegrees != nil, stated != .noPosition else {
            (location.latitudeDegrees, location.longitudeDegrees, location.altitudeMeters) = (nil, nil, nil)
            return stated == .noPosition ? .measurement(.location(location)) : .nothing
        }
        location.fix = stated ?? (location.altitudeMeters == nil ? .twoDimensional : .threeDimensional)
        return .measurement(.location(location))
    }

    private func degrees(_ row: CSVReader.Row, _ place: TableLayout.Place) -> TableCell.Number {
        let isLatitude = place.column.name == "latitudeDegrees"
        let letters: (Character, Character) = isLatitude ? ("N", "S") : ("E", "W")
        let number = TableCell.degrees(row.text(place.index), letters, separator: separator)
        guard case .value(let degrees) = number else { return number }
        let value = place.unit.value(of: degrees)
        let letter = layout.hemispheres[isLatitude ? "NS" : "EW"].map { row.text($0).uppercased() }
        return .value(letter == String(letters.1) ? -abs(value) : value)
    }

    /// The fault of a cell.
    func notANumber(_ row: CSVReader.Row, _ index: Int) -> Outcome {
        let name = index < columns.count ? columns[index].excerpt : ""
        return .fault(
            reason: "whose '\(name)' is not a number",
            FormatError(line: row.line, "'\(row.text(index).excerpt)' in column '\(name)' is not a number"))
    }

    private static func fix(_ text: String) -> Location.Fix? {
        switch text.lowercased().filter({ !$0.isBlank }) {
        case "none", "nofix", "0", "no", "false", "invalid", "v", "void": .noPosition
        case "2d", "2dfix": .twoDimensional
        case "3d", "3dfix": .threeDimensional
        default: nil
        }
    }
}
