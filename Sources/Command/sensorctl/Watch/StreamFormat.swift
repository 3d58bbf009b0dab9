internal import BrokerClient
internal import Programs

/// Turns readings and other events of a stream into lines.
protocol StreamFormat {
    /// Whether events are among the readings; else the output holds readings only, and events are notes.
    var showsEvents: Bool { get }

    /// The first lines of the output, once its resources are known.
    mutating func begin(_ resources: [Resource]) throws(Failure) -> [String]

    /// The names of the columns, before the first reading of a kind.
    mutating func heading(for reading: Reading) -> [String]

    /// The lines of a reading, which `--count` counts.
    func rows(of reading: Reading) -> [String]

    /// The line of an event that arrived at an instant of CLOCK_BOOTTIME; nil if this format does not show it.
    mutating func line(about event: StreamEvent, atNanoseconds: Int64) -> String?
}

extension StreamFormat {
    var showsEvents: Bool { false }

    func line(about event: StreamEvent, atNanoseconds: Int64) -> String? { nil }

    func heading(for reading: Reading) -> [String] { [] }
}

/// The format of readings: that of any output, NMEA 0183, or a file of messages.
enum ReadingFormat: String, CaseIterable {
    case text, json, csv, nmea, mcap

    static let names = allCases.map(\.rawValue)

    /// Whether the format must know the kinds of the resources before the first reading.
    var needsResources: Bool { self == .csv || self == .nmea }

    /// The format for streams and readings; grants that match `asked` are not shown.
    func stream(
        _ clock: WallClock, _ terminal: Terminal, isVerbose: Bool, asked: [Request] = []
    ) -> any StreamFormat {
        switch self {
        case .text:
            TextFormat(
                clock: clock, style: terminal.style, news: News(isVerbose: isVerbose, asked: asked),
                width: terminal.width)
        case .json: JSONFormat()
        case .csv: CSVFormat(clock: clock, aligned: asked.filter { $0.alignTo != nil }.map(\.resource))
        case .nmea: NMEAFormat()
        case .mcap: preconditionFailure("Messages are no lines: `MCAPWatch` writes them.")
        }
    }
}

/// The format of an output other than readings.
enum OutputFormat: String, CaseIterable {
    /// For people.
    case text
    /// One object per line.
    case json
    /// A header, and then a row for each reading.
    case csv
}
