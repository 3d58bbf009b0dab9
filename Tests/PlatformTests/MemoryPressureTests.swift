import Foundation
import Testing

@testable import Platform

@Suite struct MemoryPressureTests {
    @Test("a pipe that the service manager named is readable when it speaks, and heard once")
    func pipe() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path(of: "pressure")
        let made = unsafe mkfifo(path, 0o600)
        try #require(made == 0)
        guard let pressure = MemoryPressure(watch: path, base64Threshold: "c29tZQ==") else {
            Issue.record("nothing tells")
            return
        }
        #expect(pressure.interest == .read)
        let descriptor = pressure.descriptor
        #expect(!Wait.untilReadable(descriptor, nanoseconds: 0).first)
        try #require(FileHandle(forUpdatingAtPath: path)).write(Data("x".utf8))
        #expect(Wait.untilReadable(descriptor, nanoseconds: 20_000_000_000).first)
        pressure.clear()
        #expect(!Wait.untilReadable(descriptor, nanoseconds: 0).first)
    }

    @Test("an account of the kernel's gets the threshold that the service manager wants")
    func account() throws {
        let directory = try TemporaryDirectory()
        directory.write("", to: "memory.pressure")
        let path = directory.path(of: "memory.pressure")
        guard let pressure = MemoryPressure(watch: path, base64Threshold: "c29tZSAxIDI=") else {
            Issue.record("nothing tells")
            return
        }
        #expect(pressure.interest == .exception)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "some 1 2")
    }

    @Test("a manager that wants none, and a path that is not there, are nothing", arguments: ["/dev/null", "/none"])
    func nothing(path: String) {
        let isNothing = MemoryPressure(watch: path, base64Threshold: nil) == nil
        #expect(isNothing)
    }

    @Test("base64 is read, and what is none is refused")
    func base64() {
        #expect(MemoryPressure.decodedBase64("c29tZSAxIDI=") == Array("some 1 2".utf8))
        #expect(MemoryPressure.decodedBase64("")?.isEmpty == true)
        #expect(MemoryPressure.decodedBase64("so me") == nil)
    }
}
