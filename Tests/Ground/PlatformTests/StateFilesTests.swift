import Foundation
import Platform
import TestTools
import Testing

@Suite("Files of the state") struct StateFilesTests {
    private let directory: TemporaryDirectory
    private var files: StateFiles { StateFiles(in: directory.path + "/deep/state") }

    init() throws { directory = try TemporaryDirectory() }

    @Test("the directory is made for this user alone, with those above it")
    func made() throws {
        #expect(try files.names().isEmpty)
        #expect(try files.read("a.json", maximumBytes: 10) == nil)
        try files.replace("a.json", with: Array("first".utf8))
        try files.replace("a.json", with: Array("second".utf8))
        try files.replace("b.json", with: [])
        #expect(try files.names() == ["a.json", "b.json"], "no other file is left")
        #expect(try files.read("a.json", maximumBytes: 10) == Array("second".utf8))
        #expect(try files.read("b.json", maximumBytes: 10) == [])
        let mode = try FileManager.default.attributesOfItem(atPath: files.directory)[.posixPermissions] as? Int
        #expect(mode == 0o700)
        try files.remove("a.json")
        try files.remove("a.json")
        #expect(try files.names() == ["b.json"])
    }

    @Test("links, directories and what is too long are not read")
    func hostile() throws {
        try files.replace("long", with: Array(repeating: 1, count: 100))
        try FileManager.default.createSymbolicLink(atPath: files.path(of: "link"), withDestinationPath: "/etc/passwd")
        try FileManager.default.createDirectory(atPath: files.path(of: "folder"), withIntermediateDirectories: false)
        for name in try files.names() {
            #expect(throws: SystemError.self, "\(name)") { try files.read(name, maximumBytes: 99) }
        }
        #expect(try files.names() == ["folder", "link", "long"])
        #expect(FileManager.default.fileExists(atPath: "/etc/passwd"))
    }

    @Test("what root writes is for the directory's owner", .enabled(if: geteuid() == 0, "needs root"))
    func ofRoot() throws {
        try files.replace("a", with: [1])
        try #require(unsafe chown(files.directory, 65_534, 65_534) == 0)
        try files.replace("a", with: [2])
        let owner = try FileManager.default.attributesOfItem(atPath: files.path(of: "a"))[.ownerAccountID] as? Int
        #expect(owner == 65_534)
    }

    @Test("what cannot be written leaves nothing behind, and the former file")
    func failing() throws {
        try files.replace("a", with: [1])
        try FileManager.default.createDirectory(atPath: files.path(of: "b"), withIntermediateDirectories: false)
        #expect(throws: SystemError.self) { try files.replace("b", with: [2]) }
        #expect(try files.names() == ["a", "b"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: files.directory).count == 2)
        #expect(throws: SystemError.self) { try StateFiles(in: "/proc/none/state").replace("a", with: [1]) }
    }
}
