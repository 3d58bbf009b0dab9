import Configuration
import Foundation
import Programs
import Readings
import Testing

@testable import sensorbrokerd

@Suite("The configuration files") struct ConfigurationFilesTests {
    /// Directories in order of priority, in place of /etc, /run, /usr/local/lib and /usr/lib.
    private final class Root {
        let url = FileManager.default.temporaryDirectory.appending(path: "conf-\(UUID().uuidString.prefix(8))")
        var directories: [String] { ["etc", "run", "local", "lib"].map { url.appending(path: $0).path } }
        var files: ConfigurationFiles {
            ConfigurationFiles(named: nil, usual: directories.map { "\($0)/x.conf" })
        }

        deinit { try? FileManager.default.removeItem(at: url) }

        func write(_ name: String, _ text: String) throws {
            let file = url.appending(path: name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try text.write(to: file, atomically: false, encoding: .utf8)
        }

        func mask(_ name: String) throws {
            try write(name, "")
            try FileManager.default.removeItem(at: url.appending(path: name))
            try FileManager.default.createSymbolicLink(
                atPath: url.appending(path: name).path, withDestinationPath: "/dev/null")
        }

        func grace() throws -> Int64 { try files.read().settings[.location].warmGrace.nanoseconds / 1_000_000_000 }
    }

    private func grace(_ seconds: Int) -> String { "[Location]\nWarmGraceSec=\(seconds)\n" }

    @Test("are those in systemd's directories, or the named one; an instance has its own")
    func places() throws {
        let usual = ConfigurationFiles(try Arguments([]))
        #expect(
            usual.mainPaths == [
                "/etc/sensorbroker/sensorbrokerd.conf", "/run/sensorbroker/sensorbrokerd.conf",
                "/usr/local/lib/sensorbroker/sensorbrokerd.conf", "/usr/lib/sensorbroker/sensorbrokerd.conf",
            ])
        #expect(usual.dropInDirectories.first == "/etc/sensorbroker/sensorbrokerd.conf.d")
        #expect(!usual.isMainRequired)
        let second = ConfigurationFiles(try Arguments(["--instance", "two"]))
        #expect(second.mainPaths.first == "/etc/sensorbroker/sensorbrokerd.two.conf")
        let named = ConfigurationFiles(try Arguments(["--config", "/a/b.conf", "--instance", "two"]))
        #expect(named.mainPaths == ["/a/b.conf"] && named.dropInDirectories == ["/a/b.conf.d"] && named.isMainRequired)
    }

    @Test("are optional")
    func none() throws {
        let read = try Root().files.read()
        #expect(read.settings == Settings() && read.files.isEmpty)
    }

    @Test("only the first main file counts, even if it is masked")
    func main() throws {
        let root = Root()
        try root.write("lib/x.conf", grace(1))
        #expect(try root.grace() == 1)
        try root.write("run/x.conf", grace(2))
        #expect(try root.grace() == 2)
        try root.mask("etc/x.conf")
        #expect(try root.grace() == 10)
    }

    @Test("drop-ins follow by name; an administrator's file replaces or masks one of the same name")
    func dropIns() throws {
        let root = Root()
        try root.write("etc/x.conf", grace(1))
        try root.write("lib/x.conf.d/50-a.conf", grace(2))
        #expect(try root.grace() == 2)
        try root.write("etc/x.conf.d/40-b.conf", grace(3))
        #expect(try root.grace() == 2)
        try root.write("run/x.conf.d/50-a.conf", grace(4))
        #expect(try root.grace() == 4)
        try root.mask("etc/x.conf.d/50-a.conf")
        #expect(try root.grace() == 3)
    }

    @Test("a hidden file may be full of errors")
    func hidden() throws {
        let root = Root()
        try root.write("lib/x.conf.d/a.conf", "garbage")
        #expect(throws: ConfigurationErrors.self) { try root.files.read() }
        try root.mask("run/x.conf.d/a.conf")
        #expect(try root.grace() == 10)
    }

    @Test("unreadable files are reported together with the errors in the others")
    func unreadable() throws {
        let root = Root()
        try root.write("etc/x.conf", "x")
        try root.write("etc/x.conf.d/b.conf/c", "")
        try root.write("etc/x.conf.d/c.conf", "y")
        let errors = #expect(throws: ConfigurationErrors.self) { try root.files.read() }
        let names = errors?.all.map { $0.file.split(separator: "/").last.map(String.init) ?? "" }
        #expect(names == ["b.conf", "x.conf", "c.conf"])
        #expect(errors?.first.line == nil)
    }
}
