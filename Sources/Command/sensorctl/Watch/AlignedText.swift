internal import BrokerClient
internal import Printable
internal import Readings

/// The text columns of resources that are aligned to a reading: behind its own, each resource after a bar with its name.
///
/// Of a location, position, height, speed and track are shown.
enum AlignedText {
    private static let ofLocation: [(name: String, title: String, decimals: Int)] = [
        ("latitudeDegrees", "LATITUDE", 7), ("longitudeDegrees", "LONGITUDE", 7), ("altitudeMeters", "ALTITUDE m", 1),
        ("speedMetersPerSecond", "SPEED m/s", 1), ("trackDegrees", "TRACK °", 1),
    ]

    static func heading(_ reading: Reading, _ channels: [String: [Resource.Channel]]) -> String {
        text(reading) { resource in
            columns(of: resource, channels).map { $0.title.rightAligned(to: width(of: $0)) }
        }
    }

    static func row(_ reading: Reading, _ row: Int, _ channels: [String: [Resource.Channel]]) -> String {
        text(reading) { resource in
            let values = reading.aligned.first { $0.resource == resource }
            return columns(of: resource, channels).map { column in
                let number = values?.number(column.name, row: row)
                let text = number.map { DecimalText.signed($0, decimals: column.decimals) } ?? "-"
                return text.rightAligned(to: width(of: column))
            }
        }
    }

    private static func text(_ reading: Reading, _ cells: (String) -> [String]) -> String {
        reading.aligned.map { "  |  " + ([$0.resource.printable] + cells($0.resource)).joined(separator: "  ") }
            .joined()
    }

    private static func width(of column: (name: String, title: String, decimals: Int)) -> Int {
        max(column.decimals + 5, column.title.count)
    }

    /// Those of the resource's description, so that they are the same where nothing is known.
    private static func columns(
        of resource: String, _ channels: [String: [Resource.Channel]]
    ) -> [(name: String, title: String, decimals: Int)] {
        let kind = Kind(resource: resource.word)
        if kind == .location { return ofLocation }
        return (channels[resource] ?? []).map { channel in
            let title = channel.name.printable.uppercased() + (channel.unit.isEmpty ? "" : " \(channel.unit.printable)")
            return (channel.name, title, kind?.row.unit.decimals ?? 3)
        }
    }
}
