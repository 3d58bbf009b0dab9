import Foundation
import Readings
import Testing

/// Texts about kinds that nobody generates, compared with the table.
@Suite("A text about kinds") struct KindTextsTests {
    private static func text(_ path: String) throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        return try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// The files that identify a device of a kind: the first of its channels, or the single one with or without a
    /// number.
    private static func files(of channels: IIOChannels) -> [String] {
        switch channels.shape {
        case .axes: ["in_\(channels.type)_x_raw", "scan_elements/in_\(channels.type)_x_en"]
        case .repeated: ["in_\(channels.type)_raw", "scan_elements/in_\(channels.type)_en"]
        case .single:
            [channels.type, numbered(channels.type)].flatMap {
                ["in_\($0)_raw", "in_\($0)_input", "scan_elements/in_\($0)_en"]
            }
        }
    }

    /// A number stands before what modifies a type: `temp0_object`.
    private static func numbered(_ type: String) -> String {
        let stem = type.prefix { $0 != "_" }
        return "\(stem)0\(type.dropFirst(stem.count))"
    }

    @Test("the interface names each kind and each first resource")
    func interface() throws {
        let text = try Self.text("Sources/Ground/Varlink/Interfaces/io.sensorbroker.Broker.varlink")
        let lines = text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        let names = try #require(lines.firstIndex(of: "name: string,"))
        let kinds = try #require(lines.firstIndex(of: "kind: string,"))
        for kind in Kind.all {
            #expect(lines[..<kinds].contains { $0.hasPrefix("#") && $0.contains("'\(kind.wire)'") })
            #expect(text.contains("'\(kind.row.resource)'"))
        }
        #expect(names < kinds)
    }

    @Test("the interface has the fields of a location, all of them, and no others")
    func location() throws {
        let text = try Self.text("Sources/Ground/Varlink/Interfaces/io.sensorbroker.Broker.varlink")
        let type = try #require(text.split(separator: "type Location (").last?.split(separator: "\n)").first)
        let fields = type.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.hasPrefix("#") && $0.contains(":") }
            .map { $0.split(separator: ":")[0].description }
        let others = ["fix", "utcMicroseconds", "satellites"]
        #expect(Set(fields) == Set(LocationField.all.map(\.name) + others))
    }

    @Test("udev's rule gives the group each kind of IIO's")
    func udev() throws {
        let text = try Self.text("systemd/70-sensorbroker.rules")
        let files = Kind.all.compactMap(\.row.iio).flatMap(Self.files)
        let tested = text.split(separator: "\n").filter { $0.hasPrefix("TEST==") }.map { $0.split(separator: "\"")[1] }
        #expect(tested.sorted() == files.map { $0[...] }.sorted())
        #expect(Set(files).count == files.count)
    }

    @Test(
        "the manual and the guide have a section for each kind that a device measures",
        arguments: Kind.all.filter(\.row.hasDevice))
    func sections(_ kind: Kind) throws {
        let section = kind.row.section
        #expect(try Self.text("docs/man/sensorbrokerd.conf.5").contains(".Sh [\(section.uppercased())] SECTION"))
        #expect(try Self.text("docs/configuration.md").contains("`[\(section)]`"))
        #expect(try Self.text("docs/sensorbrokerd.conf").contains("[\(section)]"))
        #expect(try Self.text("docs/mock.md").contains("`[\(kind.row.resource)]`"))
    }

    @Test(
        "the guide to sensors has the row of each kind that IIO measures",
        arguments: Kind.all.filter { $0.row.iio != nil })
    func guide(_ kind: Kind) throws {
        let row = kind.row
        let cells = [
            "`\(row.resource)`", "`\(row.wire)`", row.channels.map(\.description).joined(separator: ", "),
            row.unit.symbol.isEmpty ? "-" : row.unit.symbol, "`\(row.iio?.attributes ?? "")`",
            row.usualChange.map { "\(Int($0))" } ?? "-",
        ]
        let lines = try Self.text("docs/sensors.md").split(separator: "\n")
        #expect(lines.contains("| \(cells.joined(separator: " | ")) |"))
    }

    @Test("the manual names the resources of each kind", arguments: Kind.all)
    func resources(_ kind: Kind) throws {
        #expect(try Self.text("docs/man/sensorbroker.7").contains(".Li \(kind.row.resource)\n"))
    }
}
