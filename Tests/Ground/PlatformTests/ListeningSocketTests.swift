import Foundation
import Platform
import TestTools
import Testing

@Suite("A listening socket", .serialized) struct ListeningSocketTests {
    @Test("has its mode whatever the umask, replaces a stale socket, and removes its path")
    func life() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path(of: "socket")
        do {
            // Any usual umask removes some of these bits.
            let first = try ListeningSocket(path: path, mode: 0o666, groupID: nil)
            #expect(directory.mode(of: "socket") == 0o666)
            // As after a crash: the second finds the first's path.
            let second = try ListeningSocket(path: path, mode: 0o600, groupID: nil)
            #expect(directory.mode(of: "socket") == 0o600)
            withExtendedLifetime(first) {}
            withExtendedLifetime(second) {}
        }
        #expect(directory.mode(of: "socket") == nil)
    }

    @Test("leaves the umask alone, which is that of all threads")
    func umaskOfAll() async throws {
        let directory = try TemporaryDirectory()
        let place = directory.path
        let before = Self.umask
        let modes = try await withThrowingTaskGroup(of: Int?.self) { group in
            for index in 0..<2_000 {
                group.addTask {
                    let path = "\(place)/\(index)"
                    let socket = try ListeningSocket(path: path, mode: 0o660, groupID: nil)
                    defer { withExtendedLifetime(socket) {} }
                    return try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
                }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(modes == [0o660])
        #expect(Self.umask == before && before != nil)
    }

    /// The umask can only be read by setting it.
    private static var umask: Substring? {
        let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        return status?.split(separator: "\n").first { $0.hasPrefix("Umask:") }
    }

    @Test("refuses to replace a file that is not a socket")
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

    @Test("reports a path that is too long")
    func longPath() throws {
        let path = "/tmp/" + String(repeating: "x", count: 200)
        #expect(throws: SystemError("bind \(path)", code: ENAMETOOLONG)) {
            _ = try ListeningSocket(path: path, mode: 0o600, groupID: nil)
        }
    }

    @Test("reports that nobody is waiting, without blocking")
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
