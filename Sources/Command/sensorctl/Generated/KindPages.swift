internal import Programs
internal import Readings

/// What files and pages list of the kinds, as it follows from their table.
enum KindPages {
    static let parts = [
        GeneratedParts(
            "Sources/Ground/Varlink/Interfaces/io.sensorbroker.Broker.varlink",
            [
                .init(
                    begin: "type Resource (", end: "  name: string,",
                    lines: wrapped("Stable name", Kind.all.map(\.row.resource), "or with a suffix, 'accelerometer:1'")),
                .init(
                    begin: "  name: string,", end: "  kind: string,",
                    lines: wrapped("What is measured", Kind.all.map(\.wire), "later versions may add others")),
            ]),
        GeneratedParts(
            "systemd/70-sensorbroker.rules", comment: "#",
            parts: [("kinds", udev(measured.map(\.channels), "GOTO=\"sensorbroker_sensor\""))]),
        GeneratedParts(
            "systemd/80-sensorbroker-desktop.rules", comment: "#",
            parts: [("kinds", udev(claimed, "ENV{SENSORBROKER_DESKTOP}=\"1\""))]),
        GeneratedParts("docs/sensors.md", comment: "<!--", " -->", parts: [("kinds", table)]),
        GeneratedParts("docs/mock.md", comment: "<!--", " -->", parts: [("kinds", [sections])]),
        GeneratedParts("docs/man/sensorbroker.7", comment: ".\\\"", parts: [("kinds", resources)]),
    ]

    /// Kinds that IIO devices measure.
    private static let measured: [(row: KindRow, channels: IIOChannels)] = Kind.all.compactMap { kind in
        kind.row.iio.map { (kind.row, $0) }
    }

    /// Those of which the pages have only what follows from the table.
    private static let others: [KindRow] = Kind.all.filter { kind in
        kind.row.iio != nil && kind != .acceleration && kind != .angularVelocity
    }.map(\.row)

    /// Names in quotes, as lines of a comment in an interface.
    private static func wrapped(_ what: String, _ names: [String], _ end: String) -> [String] {
        let quoted = names.map { "'\($0)'" }.joined(separator: ", ")
        var lines = ["  # \(what):"]
        for word in "\(quoted); \(end)".split(separator: " ") {
            if lines[lines.count - 1].count + word.count + 1 > 110 { lines.append("  #") }
            lines[lines.count - 1] += " \(word)"
        }
        return lines
    }

    /// The channels of what programs of the desktop claim; the orientation follows from the acceleration.
    private static let claimed = [Kind.acceleration, .illuminance, .proximity, .heading].compactMap(\.row.iio)

    /// What makes udev's rules take a device for one with such channels.
    private static func udev(_ channels: [IIOChannels], _ consequence: String) -> [String] {
        channels.flatMap(\.files).map { "TEST==\"\($0)\", \(consequence)" }
    }

    private static let table: [String] = {
        let rows = measured.map { row, channels in
            let cells: [String] = [
                "`\(row.resource)`", "`\(row.wire)`", row.channels.map(\.description).joined(separator: ", "),
                row.unit.symbol.isEmpty ? "-" : row.unit.symbol, "`\(channels.attributes)`",
                row.usualChange.map { number($0) } ?? "-",
            ]
            return "| \(cells.joined(separator: " | ")) |"
        }
        return ["| resource | kind | channels | unit | from | change |", "| --- | --- | --- | --- | --- | --- |"] + rows
    }()

    private static func number(_ number: Double) -> String {
        Int(exactly: number).map(String.init) ?? "\(number)"
    }

    private static let sections: String = {
        let names = others.map { "`[\($0.resource)]`" }
        return "\(names.dropLast().joined(separator: ", ")) and \(names.last ?? "")."
    }()

    private static let resources: [String] = {
        let entries = Kind.all.map(\.row).flatMap { row in
            [
                ".It Li \(row.resource)",
                row.words.summary + (row.reporting == .onChange ? ", sent when it changes" : ""),
            ]
        }
        return [".Bl -tag -width ambienttemperature -compact"] + entries + [".El"]
    }()
}
