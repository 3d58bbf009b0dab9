import Foundation
import Programs
import Testing

@testable import sensorbrokerd

@Suite("The pages about the settings") struct SettingFilesTests {
    @Test("match the files in the tree; else run: make generated", arguments: Settings.files.map(\.path))
    func tree(path: String) throws {
        let file = try #require(Settings.files.first { $0.path == path })
        let project = URL(filePath: #filePath).appending(path: "../../../../")
        let text = try String(contentsOf: project.appending(path: path).standardized, encoding: .utf8)
        #expect(try file.text(text) == text, "\(path) is not what the table has: run 'make generated'")
    }
}
