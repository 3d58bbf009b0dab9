import Glibc
import Platform
import Testing

@Suite("A listening socket", .serialized) struct ListeningSocketTests {
    @Test("has its mode whatever the umask, replaces a stale socket, and takes its path along")
    func life() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path(of: "socket")
        let mask = umask(0o077)
        defer { umask(mask) }
        do {
            let first = try ListeningSocket(path: path, mode: 0o660, groupID: nil)
            #expect(directory.mode(of: "socket") == 0o660)
            // As after a crash: the second finds the first's path.
            let second = try ListeningSocket(path: path, mode: 0o600, groupID: nil)
            #expect(directory.mode(of: "socket") == 0o600)
            withExtendedLifetime(first) {}
            withExtendedLifetime(second) {}
        }
        #expect(directory.mode(of: "socket") == nil)
    }

    @Test("refuses to replace what is no socket")
    func refuses() throws {
        let directory = try TemporaryDirectory()
        directory.write("precious", to: "file")
        unsafe symlink(directory.path(of: "nowhere"), directory.path(of: "link"))
        for name in ["file", "link"] {
            #expect(throws: SystemError.self) {
                _ = try ListeningSocket(path: directory.path(of: name), mode: 0o600, groupID: nil)
            }
            #expect(directory.mode(of: name) != nil)
        }
    }

    @Test("says so where its path is too long")
    func longPath() throws {
        let path = "/tmp/" + String(repeating: "x", count: 200)
        #expect(throws: SystemError("bind \(path)", code: ENAMETOOLONG)) {
            _ = try ListeningSocket(path: path, mode: 0o600, groupID: nil)
        }
    }

    @Test("has nobody waiting, without blocking")
    func nobody() throws {
        let directory = try TemporaryDirectory()
        let socket = try ListeningSocket(path: directory.path(of: "socket"), mode: 0o600, groupID: nil)
        switch socket.accept() {
        case .nobody: break
        case .client: Issue.record("a client from nowhere")
        case .exhausted(let code): Issue.record("exhausted: \(code)")
        }
    }
}
