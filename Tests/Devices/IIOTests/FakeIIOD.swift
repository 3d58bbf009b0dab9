import ChildPrograms
import Foundation
import IIO
import Testing

/// A fake iiod in a process of its own, which gets its faults as commands on its standard input.
final class FakeIIOD {
    private let process: ChildProgram
    private let input = Pipe()
    private let output = Pipe()
    private var unread = Data()
    private var port = ""

    /// `Tests/Support` of this package.
    static let support = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Support")

    init(_ arguments: String...) throws {
        // libiio sends without MSG_NOSIGNAL, and so does a pipe.
        signal(SIGPIPE, SIG_IGN)
        process = try ChildProgram(
            ["python3", Self.support.appendingPathComponent("fakeiiod.py").path] + arguments,
            input: input.fileHandleForReading.fileDescriptor, output: output.fileHandleForWriting.fileDescriptor)
        // With its last copy, the other end would never end.
        try input.fileHandleForReading.close()
        try output.fileHandleForWriting.close()
        port = try #require(line().split(separator: ":").last.map(String.init))
    }

    deinit {
        try? input.fileHandleForWriting.close()
        process.terminate()
        process.waitUntilExit()
    }

    var address: IIOAddress {
        get throws { try #require(IIOAddress("ip:127.0.0.1:\(port)")) }
    }

    /// Gives a command and waits until it has been carried out.
    func order(_ command: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data((command + "\n").utf8))
        #expect(try line() == "ok \(command)")
    }

    private func line() throws -> String {
        while true {
            if let end = unread.firstIndex(of: 10) {
                defer { unread = Data(unread[(end + 1)...]) }
                return String(decoding: unread[..<end], as: UTF8.self)
            }
            let data = output.fileHandleForReading.availableData
            try #require(!data.isEmpty, "fakeiiod.py ended; is python3 there?")
            unread += data
        }
    }
}
