import Foundation
import Readings
import Testing

/// What texts that nobody generates say of kinds, beside what the table says.
@Suite("A text about kinds") struct KindTextsTests {
    private static func text(_ path: String) throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// The types that IIO's channels of kinds have.
    private static var channelTypes: [String] {
        Kind.all.compactMap { kind in
            if case .iio(let type, _) = kind.row.source { type } else { nil }
        }
    }

    @Test("the interface names each kind and each first resource")
    func interface() throws {
        let text = try Self.text("Sources/Varlink/Interfaces/io.sensorbroker.Broker.varlink")
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
        let text = try Self.text("Sources/Varlink/Interfaces/io.sensorbroker.Broker.varlink")
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
        for type in Self.channelTypes {
            for file in ["in_\(type)_x_raw", "scan_elements/in_\(type)_x_en"] {
                #expect(text.contains("TEST==\"\(file)\""), "\(file)")
            }
        }
        #expect(text.components(separatedBy: "TEST==").count == 2 * Self.channelTypes.count + 1)
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

    @Test("the manual names the resources of each kind", arguments: Kind.all)
    func resources(_ kind: Kind) throws {
        #expect(try Self.text("docs/man/sensorbroker.7").contains(".Li \(kind.row.resource)\n"))
    }
}
