import Foundation
import Testing

/// What an app may share with a system that has no broker: values, services and doubles.
@Suite("Rooms of no system") struct RoomTests {
    private static let sources = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources")

    @Test(
        "import no platform module, and none that does",
        arguments: [
            "Ground/SensorValues", "Ground/Locking", "Library/SensorServices", "Library/SensorBrokerTesting",
        ])
    func imports(of room: String) throws {
        let allowed = ["SensorValues", "SensorServices", "Locking", "Synchronization", "Observation"]
        let folder = Self.sources.appending(path: room)
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        #expect(!files.isEmpty)
        for file in files where file.pathExtension == "swift" {
            let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            // Sines are of the C library, whose name differs.
            let isOfSines = ["Attitude.swift", "Geodesic.swift"].contains(file.lastPathComponent)
            let known = isOfSines ? allowed + ["Glibc", "Musl", "Darwin"] : allowed
            for line in lines where line.contains("import ") && !line.contains("//") && !line.contains("(") {
                let module = line.split(separator: " ").last.map(String.init) ?? ""
                #expect(known.contains(module), "\(file.lastPathComponent) imports \(module)")
            }
        }
    }
}
