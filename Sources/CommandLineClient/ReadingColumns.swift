internal import BrokerClient

/// The text columns for each kind of reading.
enum ReadingColumns: Hashable {
    case location
    case acceleration
    case orientation
    case unknown

    init(_ reading: Reading) {
        self =
            switch reading.content {
            case .location: .location
            case .acceleration: .acceleration
            case .orientation: .orientation
            case .unknown: .unknown
            }
    }

    /// The names of the columns.
    var heading: String {
        switch self {
        case .location: LocationText.heading
        case .acceleration:
            ["X m/s²", "Y m/s²", "Z m/s²"].map { $0.rightAligned(to: Self.width) }.joined(separator: "  ")
        case .orientation: "UP"
        case .unknown: "READING"
        }
    }

    /// Numbers, aligned with the heading.
    static func text(_ values: [Double]) -> String {
        values.map { DecimalText.signed($0, decimals: 3).rightAligned(to: width) }.joined(separator: "  ")
    }

    private static let width = 8
}
