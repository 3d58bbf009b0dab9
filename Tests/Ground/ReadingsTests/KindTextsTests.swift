import Foundation
import Readings
import Testing

/// What is stated of kinds beside the parts that are generated, compared with the tables.
@Suite("A text about kinds") struct KindTextsTests {
    private static func text(_ path: String) throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        return try String(contentsOf: root.appending(path: path), encoding: .utf8)
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

    @Test("no file of a device stands for two kinds, for udev's rule")
    func udev() {
        let files = Kind.all.compactMap(\.row.iio).flatMap(\.files)
        #expect(Set(files).count == files.count)
    }

    @Test("each kind with one number has a property for it, and no two kinds have a type of one name")
    func names() {
        let words = Kind.all.map(\.row.words)
        // Whether a device lies still is no number.
        for kind in Kind.all where kind != .rest {
            #expect((kind.row.words.number != nil) == (kind.row.channels.count == 1))
        }
        #expect(Set(words.map(\.sensorType)).count == words.count)
        for words in words { #expect(!words.summary.isEmpty && words.summary.first?.isLowercase == true) }
        for words in words { #expect(!words.summary.hasSuffix(".") && !words.sensor.hasSuffix(".")) }
    }
}
