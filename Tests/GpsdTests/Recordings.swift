import Foundation

/// Logs of real receivers, which lie beside the package on some machines.
enum Recordings {
    private static let directory = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("shared/data/gps")

    static var arePresent: Bool { FileManager.default.fileExists(atPath: directory.path) }

    /// The first sentences of a log.
    static func sentences(_ name: String, atMost count: Int) throws -> [String] {
        let data = try Data(contentsOf: directory.appendingPathComponent(name))
        let lines = String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline)
        return lines.filter { $0.hasPrefix("$") }.prefix(count).map { "\($0)\r\n" }
    }
}
