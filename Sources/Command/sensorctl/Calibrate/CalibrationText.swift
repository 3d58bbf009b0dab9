internal import Formats
internal import Motion
internal import Printable
internal import Programs
internal import Varlink

/// What a calibration has found, and those that are stored, in each format.
enum CalibrationText {
    /// A finding; `isKept`: whether the broker keeps it, nil if it is not stored.
    static func print(
        _ finding: CalibrationFinding, _ resource: String, isKept: Bool?, _ terminal: Terminal
    ) throws(Failure) {
        let end =
            switch isKept {
            case true: ["stored"]
            case false: ["in use until the broker ends: it has no directory for its state"]
            case nil: finding.mountMatrix == nil ? ["not stored"] : []
            }
        let row = [resource] + numbers(finding.offset).map { "\($0)" } + ["\(finding.error)", "\(isKept != nil)"]
        try terminal.print(
            text: (finding.words + end).map { "\(resource.printable): \($0)" },
            json: [object(finding, resource, isKept)], csv: [["resource", "x", "y", "z", "error", "stored"], row])
    }

    private static func object(_ finding: CalibrationFinding, _ resource: String, _ isKept: Bool?) -> JSONObject {
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
    static func print(_ answer: Parameters, _ terminal: Terminal) throws(Failure) {
        let rows = try understand { () throws(VarlinkError) in try answer.objects("calibrations").map(row) }
        guard !rows.isEmpty || terminal.format != .text else {
            return terminal.note("sensorctl: nothing is calibrated")
        }
        let heading = ["resource", "kind", "x", "y", "z", "error", "measured", "by", "device"]
        let table = TextTable(heading: heading, rows: rows.map { $0.map(\.printable) }, numbers: [2, 3, 4, 5])
        try terminal.print(
            text: table.lines(terminal.style, width: terminal.width), json: [answer.object], csv: [heading] + rows)
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

    /// A broker may report more years than a clock of nanoseconds has.
    private static func date(_ utcSeconds: Int64) -> String {
        String(CalendarTime.text(microseconds: utcSeconds * 1_000_000).map { $0 == "T" ? " " : $0 })
    }

    private static func numbers(_ vector: Vector3) -> [Double] { [vector.x, vector.y, vector.z] }
}
