import CLinux
import Foundation
import Programs
import ScriptedService

@testable import sensorctl

/// One run of `sensorctl` in this process: its exit status, and its output.
struct Session {
    let status: Programs.ExitStatus
    let output: String
    let notes: String

    /// The lines of the output.
    var lines: [String] { output.split(separator: "\n").map { String($0) } }

    /// A run with a server, which lives at least as long as the run.
    init(_ line: String, _ server: ScriptedServer) {
        self.init(line, socket: server.path)
        withExtendedLifetime(server) {}
    }

    init(_ line: String, socket: String, patienceNanoseconds: Int64 = 0, isUnicode: Bool = true) {
        let (output, notes) = (Pipe(), Pipe())
        let terminal = Terminal(
            output: output.fileHandleForWriting.fileDescriptor, notes: notes.fileHandleForWriting.fileDescriptor)
        status = Program.run(
            line.split(separator: " ").map { String($0) },
            Environment(socket: socket, isUnicode: isUnicode, patienceNanoseconds: patienceNanoseconds), terminal)
        self.output = Self.contents(output)
        self.notes = Self.contents(notes)
    }

    private static func contents(_ pipe: Pipe) -> String {
        try? pipe.fileHandleForWriting.close()
        return String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    }
}
