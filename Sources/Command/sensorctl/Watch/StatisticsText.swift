internal import Printable
internal import Varlink

/// Statistics of a stream in each format.
struct StatisticsText {
    let format: OutputFormat
    let clock: WallClock
    let style: Style
    private var hasHeading = false
    /// The cells behind the name: their titles, and their widths on a narrow terminal.
    private static let cells = [
        ("READINGS", 8), ("RATE", 9), ("JITTER", 7), ("LATENCY", 7), ("LONGEST", 7), ("LOST", 5),
    ]
    private static let usualWidth = 9
    private static let nameWidth = 14
    /// Whether the terminal has no room for the date and wide cells.
    private let isNarrow: Bool

    init(format: OutputFormat, clock: WallClock, style: Style, width: Int? = nil) {
        (self.format, self.clock, self.style) = (format, clock, style)
        let usual = clock.second(0).count + 2 + Self.nameWidth + Self.cells.count * (Self.usualWidth + 1)
        isNarrow = width.map { $0 < usual } ?? false
    }

    private func time(_ now: Int64) -> String {
        isNarrow ? String(clock.timeOfDay(now).prefix { $0 != "." }) : clock.second(now)
    }

    private func aligned(_ texts: [String]) -> [String] {
        zip(texts, Self.cells).map { $0.rightAligned(to: isNarrow ? $1.1 : Self.usualWidth) }
    }

    private static let columns = [
        "time", "resource", "readings", "hertz", "jitterSeconds", "meanLatencySeconds", "longestLatencySeconds", "lost",
    ]

    /// The lines of an instant, the first time with a heading.
    mutating func lines(_ all: [StreamStatistics.Line], atNanoseconds now: Int64) -> [String] {
        let heading = hasHeading ? [] : heading
        hasHeading = true
        return heading + all.map { line($0, now) }
    }

    private var heading: [String] {
        switch format {
        case .text:
            return [
                style.strong(
                    "TIME".padded(to: time(0).count) + "  " + "RESOURCE".padded(to: Self.nameWidth) + " "
                        + aligned(Self.cells.map(\.0)).joined(separator: " "))
            ]
        case .json: return []
        case .csv: return [CSVFormat.row(Self.columns)]
        }
    }

    private func line(_ line: StreamStatistics.Line, _ now: Int64) -> String {
        switch format {
        case .text: text(line, now)
        case .json: JSONFormat.line(["stats": .object(object(line, now))])
        case .csv: row(line, now)
        }
    }

    private func text(_ line: StreamStatistics.Line, _ now: Int64) -> String {
        let cells = [
            "\(line.readings)", line.hertz.map { TopText.rate($0) }, line.jitterNanoseconds.map { TopText.span($0) },
            line.meanLatencyNanoseconds.map { TopText.span($0) },
            line.longestLatencyNanoseconds.map { TopText.span(Double($0)) }, "\(line.lost)",
        ].map { $0 ?? "-" }
        let shown = aligned(cells)
        let lost = shown.suffix(1).map { line.lost > 0 ? style.warning($0) : $0 }
        return "\(style.faint(time(now)))  \(style.strong(line.resource.printable.padded(to: Self.nameWidth))) "
            + (shown.dropLast() + lost).joined(separator: " ")
    }

    private func object(_ line: StreamStatistics.Line, _ now: Int64) -> JSONObject {
        var object: JSONObject = [
            "resource": .string(line.resource), "atNanoseconds": .integer(now),
            "readings": .integer(Int64(line.readings)),
        ]
        object.member("hertz", line.hertz)
        object.member("jitterNanoseconds", line.jitterNanoseconds)
        object.member("meanLatencyNanoseconds", line.meanLatencyNanoseconds)
        object.member("longestLatencyNanoseconds", line.longestLatencyNanoseconds)
        object.member("lost", line.lost)
        return object
    }

    private func row(_ line: StreamStatistics.Line, _ now: Int64) -> String {
        func seconds(_ nanoseconds: Double?) -> String { nanoseconds.map { ($0 / 1e9).description } ?? "" }
        return CSVFormat.row([
            clock.utc(now), line.resource, "\(line.readings)", line.hertz?.description ?? "",
            seconds(line.jitterNanoseconds), seconds(line.meanLatencyNanoseconds),
            seconds(line.longestLatencyNanoseconds.map { Double($0) }), "\(line.lost)",
        ])
    }
}
