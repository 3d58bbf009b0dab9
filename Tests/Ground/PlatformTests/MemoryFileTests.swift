import Glibc
import Testing

@testable import Platform

@Suite("A file in memory") struct MemoryFileTests {
    @Test("is read through its descriptor as it was written", arguments: [0, 1, 5_000, 3_000_000])
    func roundTrip(_ count: Int) throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let file = try MemoryFile(bytes, name: "test")
        #expect(MemoryFile.read(file.number, maximumBytes: 3_000_000) == bytes)
        // The former read position does not matter.
        #expect(MemoryFile.read(file.number, maximumBytes: 3_000_000) == bytes)
    }

    @Test("cannot be changed any more")
    func sealed() throws {
        let file = try MemoryFile([1, 2, 3], name: "test")
        var byte: UInt8 = 9
        #expect(unsafe pwrite(file.number, &byte, 1, 0) == -1)
        #expect(errno == EPERM)
        #expect(ftruncate(file.number, 0) == -1)
        #expect(MemoryFile.read(file.number, maximumBytes: 10) == [1, 2, 3])
    }

    @Test("is not read if it is too long, or not a file")
    func refused() throws {
        let file = try MemoryFile([1, 2, 3], name: "test")
        #expect(MemoryFile.read(file.number, maximumBytes: 2) == nil)
        #expect(MemoryFile.read(-1, maximumBytes: 2) == nil)
        let pair = try SocketPair()
        #expect(MemoryFile.read(pair.near.number, maximumBytes: 2) == nil)
    }
}
