import Fleet
import Foundation
import Programs
import Testing

@testable import sensorbroker_mqtt

@Suite("The pages about the settings of the bridge") struct SettingFilesTests {
    @Test("match the files in the tree; else run: make generated", arguments: FleetSettings.files.map(\.path))
    func tree(path: String) throws {
        let file = try #require(FleetSettings.files.first { $0.path == path })
        let project = URL(filePath: #filePath).appending(path: "../../../../../")
        let text = try String(contentsOf: project.appending(path: path).standardized, encoding: .utf8)
        #expect(try file.text(text) == text, "\(path) does not follow from the table: run 'make generated'")
    }
}
