internal import BrokerClient
internal import Readings
internal import Varlink

/// A header, then readings of one kind, a row a sample; all else is a note beside it.
///
/// A column is empty where the value is not known. The sequence number is that of a reading's first sample, so only the
/// row of that has it.
struct CSVFormat: StreamFormat {
    private static let commonColumns = ["resource", "sequence", "timestampNanoseconds", "time"]
    private static let kindColumns = [
        "acceleration": ["x", "y", "z"],
        "orientation": ["orientation"],
        "location": ["fix", "utcMicroseconds"] + LocationField.all.map(\.name),
    ]

    /// The header's cells for a kind; nil where it has none.
    static func columns(of kind: String) -> [String]? { kindColumns[kind].map { commonColumns + $0 } }

    let clock: WallClock
    let takesEventsAsNotes = true
    private var kind: String?
    private var notes: TextFormat

    init(clock: WallClock, news: News) {
        self.clock = clock
        notes = TextFormat(clock: clock, style: Style(isOn: false), news: news)
    }

    mutating func begin(_ resources: [Resource]) throws(Failure) -> [String] {
        let kinds = Set(resources.map { $0.kind })
        guard let kind = kinds.first, kinds.count == 1 else {
            throw Failure(
                .usage,
                "csv has the columns of one kind, but this is \(kinds.sorted().joined(separator: " and ").printable): "
                    + "run one sensorctl for each, or use --format json")
        }
        guard let columns = Self.kindColumns[kind] else {
            throw Failure(.usage, "there are no columns for the kind \(kind.printable): use --format json")
        }
        self.kind = kind
        return [Self.row(Self.commonColumns + columns)]
    }

    func rows(of reading: Reading) -> [String] {
        switch reading.content {
        case .location(_, let location) where kind == "location":
            [row(reading, Self.kindColumns["location", default: []].map { Self.text(location.optionalValue($0)) })]
        case .acceleration(let samples) where kind == "acceleration":
            samples.enumerated().map { index, sample in
                let values = [sample.value.x, sample.value.y, sample.value.z].map { $0.description }
                return row(reading, isFirst: index == 0, at: sample.timestampNanoseconds, values)
            }
        case .orientation(let orientation) where kind == "orientation": [row(reading, [orientation])]
        default: []
        }
    }

    mutating func line(about event: StreamEvent, atNanoseconds: Int64) -> String? {
        notes.line(about: event, atNanoseconds: atNanoseconds)
    }

    /// A row of cells without control characters, quoted where they must be.
    static func row(_ cells: [String]) -> String { cells.map { quoted($0.printableLines) }.joined(separator: ",") }

    /// The text of a plain value; nothing for null, and for what has no text.
    static func text(_ value: JSONValue?) -> String {
        switch value {
        case .bool(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .number(let value): value.description
        case .string(let text): text
        default: ""
        }
    }

    private func row(
        _ reading: Reading, isFirst: Bool = true, at timestamp: Int64? = nil, _ values: [String]
    ) -> String {
        let timestamp = timestamp ?? reading.timestampNanoseconds
        let sequence = isFirst ? "\(reading.sequence)" : ""
        return Self.row([reading.resource, sequence, "\(timestamp)", clock.utc(timestamp)] + values)
    }

    private static func quoted(_ cell: String) -> String {
        guard cell.contains(where: { [",", "\"", "\n"].contains($0) }) else { return cell }
        return "\"" + cell.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }
}
