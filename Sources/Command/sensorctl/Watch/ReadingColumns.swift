internal import BrokerClient
internal import Printable
internal import Readings

/// The text columns of a reading.
enum ReadingColumns: Hashable {
    case location
    /// A column for each channel, with its unit if that is known.
    case values([String])
    case orientation
    case unknown

    private static let width = 8

    /// The columns of a reading; the channels are empty if the resource has not been described.
    init(_ reading: Reading, _ channels: [Resource.Channel]) {
        self =
            switch reading.content {
            case .location: .location
            case .values(let columns):
                .values(columns.names.map { Self.title(of: $0, of: reading.resource, channels) })
            case .orientation: .orientation
            case .unknown: .unknown
            }
    }

    /// The names of the columns; with `room`, of as many as fit into it.
    func heading(in room: Int? = nil) -> String {
        switch self {
        case .location: LocationText.heading(in: room)
        case .values(let titles): titles.map { $0.rightAligned(to: Self.width) }.joined(separator: "  ")
        case .orientation: "UP"
        case .unknown: "READING"
        }
    }

    /// The rows of columns, aligned with the heading.
    static func rows(_ columns: Columns, of resource: String, _ channels: [Resource.Channel]) -> [String] {
        let decimals = Kind(resource: resource.word)?.row.unit.decimals ?? 3
        let widths = columns.names.map { max(width, title(of: $0, of: resource, channels).count) }
        return (0..<columns.count).map { row in
            zip(columns.numbers(row), widths).map { number, width in
                DecimalText.signed(number, decimals: decimals).rightAligned(to: width)
            }.joined(separator: "  ")
        }
    }

    private static func title(of channel: String, of resource: String, _ channels: [Resource.Channel]) -> String {
        let reported = channels.first { $0.name == channel }?.unit.printable
        let unit = reported ?? Kind(resource: resource.word)?.row.unit.symbol ?? ""
        return channel.printable.uppercased() + (unit.isEmpty ? "" : " \(unit)")
    }
}

extension String {
    /// The first word of a resource's name, which determines its kind.
    var word: Substring { prefix { $0 != ":" } }
}
