internal import BrokerClient

/// How readings, and what a stream tells beside them, become lines.
protocol StreamFormat {
    /// Whether events are notes beside the output, which then holds readings only.
    var takesEventsAsNotes: Bool { get }

    /// The lines before everything else, once it is known which resources the output is about.
    mutating func begin(_ resources: [Resource]) throws(Failure) -> [String]

    /// The names of the columns, before the first reading of a kind.
    mutating func heading(for reading: Reading) -> [String]

    /// The lines of a reading: what `--count` counts.
    func rows(of reading: Reading) -> [String]

    /// The line of an event that became known at an instant of CLOCK_BOOTTIME; nil where it is no news in this format.
    mutating func line(about event: StreamEvent, atNanoseconds: Int64) -> String?
}

extension StreamFormat {
    func heading(for reading: Reading) -> [String] { [] }
}

extension OutputFormat {
    /// The format for streams and readings; grants that match `asked` are not shown.
    func stream(
        _ clock: WallClock, isColoured: Bool, isVerbose: Bool, asked: [Request] = []
    ) -> any StreamFormat {
        let news = News(isVerbose: isVerbose, asked: asked)
        return switch self {
        case .text: TextFormat(clock: clock, style: Style(isOn: isColoured), news: news)
        case .json: JSONFormat()
        case .csv: CSVFormat(clock: clock, news: news)
        }
    }
}
