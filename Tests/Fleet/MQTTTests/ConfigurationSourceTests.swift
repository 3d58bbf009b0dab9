import Configuration
import Fleet
import Glibc
import Programs
import TestTools
import Testing

@testable import MQTT

@Suite struct ConfigurationSourceTests {
    private static let least = "[Server]\nUrl=mqtt://b\n[Readings]\nlocation=1s\n"

    @Test("the named file is read, then its drop-ins in the order of their names, then what the command line says")
    func order() throws {
        let directory = try TemporaryDirectory()
        let path = directory.write(Self.least, to: "fleet.conf")
        directory.write("[Readings]\nlocation=10s\n", to: "fleet.conf.d/10-slow.conf")
        directory.write("[Readings]\nlocation=20s\n", to: "fleet.conf.d/20-slower.conf")
        directory.write("[Readings]\nlocation=1h\n", to: "fleet.conf.d/30-ignored.txt")
        let source = ConfigurationSource(named: path, usual: [])
        #expect(try source.read().settings.readings.map(\.text) == ["20s"])
        let over = try source.read(overriddenBy: ("the command line", Array("[Server]\nUrl=mqtt://c\n".utf8)))
        #expect(over.settings.server?.host == "c")
    }

    @Test("of the usual files the first one counts, and none need be there")
    func usual() throws {
        let directory = try TemporaryDirectory()
        let paths = ["a.conf", "b.conf"].map { "\(directory.path)/\($0)" }
        directory.write("[Server]\nUrl=mqtt://second\n", to: "b.conf")
        let source = ConfigurationSource(named: nil, usual: paths)
        #expect(try source.read(for: .consumer).settings.server?.host == "second")
        directory.write("[Server]\nUrl=mqtt://first\n", to: "a.conf")
        #expect(try source.read(for: .consumer).settings.server?.host == "first")
    }

    @Test("a named file that is not there, and one that cannot be read, are errors with a remedy")
    func missing() throws {
        let directory = try TemporaryDirectory()
        #expect(throws: ConfigurationErrors.self) {
            try ConfigurationSource(named: "\(directory.path)/none", usual: []).read()
        }
        unsafe mkdir("\(directory.path)/folder", 0o700)
        do {
            _ = try ConfigurationSource(named: "\(directory.path)/folder", usual: []).read()
            Issue.record("a folder was read")
        } catch {
            #expect(error.all.contains { $0.description.contains("make it a plain file") })
        }
    }

    @Test("all errors of all files are told, each with its file and line")
    func errors() throws {
        let directory = try TemporaryDirectory()
        let path = directory.write(Self.least + "[Spool]\nMaxByte=1\n", to: "fleet.conf")
        directory.write("[Spool]\nSyncSec=often\n", to: "fleet.conf.d/1.conf")
        do {
            _ = try ConfigurationSource(named: path, usual: []).read()
            Issue.record("errors were accepted")
        } catch {
            let lines = error.all.map(\.description)
            #expect(lines.count == 2)
            #expect(lines[0] == "\(path):6: [Spool] has no 'MaxByte=': did you mean MaxBytes=?")
            #expect(lines[1].hasPrefix("\(path).d/1.conf:2: [Spool] SyncSec=often: "))
        }
    }
}

@Suite struct CredentialTests {
    @Test("a name is a credential of the unit, a path is a file, and each has to be readable")
    func paths() throws {
        let directory = try TemporaryDirectory()
        let path = directory.write("secret", to: "host.key")
        #expect(try Credential.path(path, "Key", credentials: nil) == path)
        #expect(try Credential.path("host.key", "Key", credentials: directory.path) == path)
        for (name, credentials, words) in [
            ("host.key", nil, "there are no credentials: add LoadCredential=host.key:"),
            ("other.key", directory.path, "or give it with LoadCredential="),
            ("/nowhere/host.key", nil, "make it a file that the program's user may read"),
        ] as [(String, String?, String)] {
            do {
                _ = try Credential.path(name, "Key", credentials: credentials)
                Issue.record("\(name) was accepted")
            } catch {
                #expect(error.status == .configuration && error.description.contains(words), "\(error)")
            }
        }
    }
}
