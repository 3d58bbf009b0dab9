internal import BrokerClient
internal import Printable
internal import Programs
internal import Readings
internal import Varlink

/// Writes a header and a row for each sample of one kind.
///
/// What is aligned to the readings follows in columns like `accelerometer.x`. A cell is empty if its value is unknown. The sequence number is that of a reading's first sample, so only that row
/// has it.
struct CSVFormat: StreamFormat {
    private static let commonColumns = ["resource", "sequence", "timestampNanoseconds", "time"]

    /// The header's cells for a kind.
    static func columns(of kind: Kind) -> [String] { commonColumns + ownColumns(of: kind) }

    /// The cells of a measurement, in the order of its kind's columns.
    static func cells(_ measurement: Measurement) -> [String] {
        switch measurement {
        case .values(let values): values.numbers.map(\.description)
        case .orientation(let orientation): [orientation.rawValue]
        case .location(let location):
            [location.fix.rawValue, location.utcMicroseconds.map { "\($0)" } ?? ""]
                + LocationField.all.map { $0.text(of: location) }
        }
    }

    private static func ownColumns(of kind: Kind) -> [String] {
        switch kind.row.form {
        case .values: kind.row.channels.map(\.description)
        case .orientation: [kind.wire]
        case .location: ["fix", "utcMicroseconds"] + LocationField.all.map(\.name)
        }
    }

    let clock: WallClock
    private var kind: Kind?
    /// The names of resources that are aligned to the others.
    private let aligned: [String]
    private var alignedColumns: [(resource: String, name: String)] = []

    init(clock: WallClock, aligned: [String] = []) { (self.clock, self.aligned) = (clock, aligned) }

    /// The names of its columns, once it has begun.
    var header: [String] {
        (kind.map { Self.columns(of: $0) } ?? []) + alignedColumns.map { "\($0.resource).\($0.name)" }
    }

    mutating func begin(_ resources: [Resource]) throws(Failure) -> [String] {
        let kinds = Set(resources.filter { !aligned.contains($0.name) }.map { $0.kind })
        guard let kind = kinds.first, kinds.count == 1 else {
            throw Failure(
                .usage,
                "csv has the columns of one kind, but this is \(kinds.sorted().joined(separator: " and ").printable): "
                    + "run one sensorctl for each, or use --format json")
        }
        guard let known = Kind(wire: kind) else {
            throw Failure(.usage, "there are no columns for the kind \(kind.printable): use --format json")
        }
        self.kind = known
        alignedColumns = aligned.flatMap { name in
            Kind(resource: name.word).map { Self.alignedNames(of: $0).map { (name, $0) } } ?? []
        }
        return [Self.row(header)]
    }

    /// The numbers of a kind that can be interpolated.
    private static func alignedNames(of kind: Kind) -> [String] {
        switch kind.row.form {
        case .values, .orientation: kind.row.channels.map(\.description)
        case .location: LocationField.all.filter { $0.mean != .newest && !$0.isWhole }.map(\.name)
        }
    }

    private func alignedCells(_ reading: Reading, row: Int) -> [String] {
        alignedColumns.map { resource, name in
            let values = reading.aligned.first { $0.resource == resource }
            return values?.number(name, row: row)?.description ?? ""
        }
    }

    func rows(of reading: Reading) -> [String] { cells(of: reading).map { Self.row($0) } }

    func cells(of reading: Reading) -> [[String]] {
        samples(of: reading).enumerated().map { index, sample in
            let sequence = index == 0 ? "\(reading.sequence)" : ""
            return [reading.resource, sequence, "\(sample.nanoseconds)", clock.utc(sample.nanoseconds)] + sample.cells
                + alignedCells(reading, row: index)
        }
    }

    /// The times of a reading's samples, and the cells of the kind's own columns; none of a reading of another kind.
    private func samples(of reading: Reading) -> [(nanoseconds: Int64, cells: [String])] {
        switch (reading.content, kind?.row.form) {
        case (.location(_, let location), .location):
            let cells = Self.ownColumns(of: .location).map { Self.text(location.optionalValue($0)) }
            return [(reading.timestampNanoseconds, cells)]
        case (.values(let columns), .values):
            let rows = kind.flatMap { columns.values(of: $0) } ?? []
            return zip(columns.timestampsNanoseconds, rows).map { ($0, Self.cells(.values($1))) }
        case (.orientation(let orientation), .orientation): return [(reading.timestampNanoseconds, [orientation])]
        default: return []
        }
    }

    /// A row of cells without control characters, quoted where they must be.
    static func row(_ cells: [String]) -> String { cells.map { quoted($0.printableLines) }.joined(separator: ",") }

    /// A heading with the names of members, and these of each object.
    static func table(_ columns: [String], _ objects: [JSONObject]) -> [[String]] {
        [columns] + objects.map { object in columns.map { text(object[$0]) } }
    }

    /// The text of a plain value; empty for null and for values without text.
    static func text(_ value: JSONValue?) -> String {
        switch value {
        case .bool(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .number(let value): value.description
        case .string(let text): text
        default: ""
        }
    }

    private static func quoted(_ cell: String) -> String {
        guard cell.utf8.contains(where: { ",\"\n".utf8.contains($0) }) else { return cell }
        return "\"" + cell.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }
}
