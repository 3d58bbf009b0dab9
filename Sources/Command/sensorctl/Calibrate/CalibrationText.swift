internal import Formats
internal import Motion
internal import Printable
internal import Programs
internal import Varlink

/// What a calibration has found, and those that are stored, in each format.
struct CalibrationText {
    private let format: OutputFormat

    init(_ format: OutputFormat) { self.format = format }

    /// A finding; `isKept` says whether the broker keeps it, nil if it has not been told.
    func print(
        _ finding: CalibrationFinding, _ resource: String, isKept: Bool?, _ terminal: Terminal
    ) throws(Failure) {
        switch format {
        case .text:
            let end: [String]
            switch isKept {
            case true: end = ["stored"]
            case false: end = ["in use until the broker ends: it has no directory for its state"]
            case nil: end = finding.mountMatrix == nil ? ["not stored"] : []
            }
            try terminal.print((finding.words + end).map { "\(resource.printable): \($0)" })
        case .json: try terminal.print([JSONFormat.line(object(finding, resource, isKept))])
        case .csv:
            try terminal.print([
                CSVFormat.row(["resource", "x", "y", "z", "error", "stored"]),
                CSVFormat.row(
                    [resource] + Self.numbers(finding.offset).map { "\($0)" } + [
                        "\(finding.error)", "\(isKept != nil)",
                    ]),
            ])
        }
    }

    private func object(_ finding: CalibrationFinding, _ resource: String, _ isKept: Bool?) -> JSONObject {
        var object: JSONObject = ["resource": .string(resource)]
        if let matrix = finding.mountMatrix {
            object.member("mountMatrix", matrix)
            return object
        }
        object.member("offset", .array(Self.numbers(finding.offset).map { .number($0) }))
        object.member("matrix", .array(finding.matrix.rows.map { .number($0) }))
        object.member("error", finding.error)
        object.member("headingErrorDegrees", finding.headingErrorDegrees)
        object.member("isStored", isKept != nil)
        object.member("isKept", isKept)
        return object
    }

    /// Those that are stored.
    func print(_ answer: Parameters, _ terminal: Terminal) throws(Failure) {
        let all = try understand { () throws(VarlinkError) in try answer.objects("calibrations") }
        switch format {
        case .json: return try terminal.print([JSONFormat.line(answer.object)])
        case .text where all.isEmpty: return terminal.note("sensorctl: nothing is calibrated")
        case .text, .csv: break
        }
        let rows = try all.map { object throws(Failure) in
            try understand { () throws(VarlinkError) in try Self.row(object) }
        }
        let heading = ["resource", "kind", "x", "y", "z", "error", "measured", "by", "device"]
        switch format {
        case .csv: try terminal.print([heading].map(CSVFormat.row) + rows.map(CSVFormat.row))
        default:
            let table = TextTable(heading: heading, rows: rows.map { $0.map(\.printable) }, numbers: [2, 3, 4, 5])
            try terminal.print(table.lines(Style(isOn: terminal.isColoured), width: terminal.width))
        }
    }

    private static func row(_ object: Parameters) throws(VarlinkError) -> [String] {
        let offset = try object.array("offset").map { element -> String in
            guard case .number(let value) = element else { return "" }
            return DecimalText.short(value, decimals: 5)
        }
        guard offset.count == 3 else { throw .invalidParameter("offset") }
        return [try object.optionalString("resource") ?? "-", try object.string("kind")] + offset
            + [
                DecimalText.short(try object.number("error"), decimals: 5),
                Self.date(try object.integer("utcSeconds", in: 0...253_402_300_799)),
                try object.optionalBool("isLearnt") == true ? "the broker" : "calibration", try object.string("device"),
            ]
    }

    /// The years that a broker may tell are more than a clock of nanoseconds has.
    private static func date(_ utcSeconds: Int64) -> String {
        String(CalendarTime.text(microseconds: utcSeconds * 1_000_000).map { $0 == "T" ? " " : $0 })
    }

    private static func numbers(_ vector: Vector3) -> [Double] { [vector.x, vector.y, vector.z] }
}
