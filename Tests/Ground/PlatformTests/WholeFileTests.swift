import Glibc
import Platform
import TestTools
import Testing

@Suite("A file that is read whole") struct WholeFileTests {
    @Test("has all its bytes, up to a limit, beyond which it is refused")
    func limit() throws {
        let directory = try TemporaryDirectory()
        directory.write(String(repeating: "7", count: 100_000), to: "a")
        #expect(try WholeFile.read(directory.path(of: "a"), maximumBytes: 100_000)?.count == 100_000)
        let error = #expect(throws: SystemError.self) {
            try WholeFile.read(directory.path(of: "a"), maximumBytes: 99_999)
        }
        #expect(error?.code == EFBIG)
    }

    @Test("is nil if it does not exist, and empty if it is a link to /dev/null")
    func absent() throws {
        let directory = try TemporaryDirectory()
        #expect(try WholeFile.read(directory.path(of: "none"), maximumBytes: 1) == nil)
        #expect(try WholeFile.read(directory.path(of: "none/none"), maximumBytes: 1) == nil)
        try #require(unsafe symlink("/dev/null", directory.path(of: "null")) == 0)
        #expect(try WholeFile.read(directory.path(of: "null"), maximumBytes: 1) == [])
    }

    @Test("is refused without waiting if it is a pipe, a directory or another device")
    func otherThings() throws {
        let directory = try TemporaryDirectory()
        try #require(unsafe mkfifo(directory.path(of: "pipe"), 0o600) == 0)
        for path in [directory.path(of: "pipe"), directory.path, "/dev/zero"] {
            #expect(throws: SystemError.self) { try WholeFile.read(path, maximumBytes: 100) }
        }
    }

    @Test("is among the names of its directory; a missing directory has none")
    func names() throws {
        let directory = try TemporaryDirectory()
        for name in ["a", "b.conf", ".c"] { directory.write("", to: name) }
        let names = try WholeFile.names(in: directory.path).filter { $0 != "." && $0 != ".." }
        #expect(names.sorted() == [".c", "a", "b.conf"])
        #expect(try WholeFile.names(in: directory.path(of: "none")) == [])
        #expect(try WholeFile.names(in: directory.path(of: "a/none")) == [])
        #expect(throws: SystemError.self) { try WholeFile.names(in: directory.path(of: "a")) }
    }
}
