import ChildPrograms
import Foundation
import Testing

/// One run of iio-probe in a namespace whose sysfs holds a fake accelerometer.
struct NamespaceRun {
    let status: Int32
    let lines: [String]

    /// Runs the fake with options, and inside it the probe with arguments and additional variables.
    init(_ options: [String], variables: [String: String] = [:], probe arguments: [String]) throws {
        let output = Pipe()
        let errors = Pipe()
        let fake = ["python3", FakeIIOD.support.appendingPathComponent("fakeiio.py").path] + options
        let probe = ["env"] + variables.map { "\($0)=\($1)" } + [try Self.probe().path] + arguments
        let process = try ChildProgram(
            fake + ["--"] + probe,
            output: output.fileHandleForWriting.fileDescriptor, errors: errors.fileHandleForWriting.fileDescriptor)
        try output.fileHandleForWriting.close()
        try errors.fileHandleForWriting.close()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let complaints = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        status = process.waitUntilExit()
        lines = text.split(separator: "\n").map(String.init)
        try #require(
            lines.contains { $0.hasPrefix("left ") },
            "no namespace of our own (unshare -Urm) on this machine, so the local backend is NOT tested: \(complaints)")
    }

    /// The program that the package builds for the tests.
    private static func probe() throws -> URL {
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return URL(fileURLWithPath: tests).deletingLastPathComponent().appendingPathComponent("iio-probe")
    }

    /// The fields of the lines that begin with a word.
    func fields(_ word: String) -> [[String]] {
        lines.filter { $0.hasPrefix("\(word) ") }.map { $0.split(separator: " ").dropFirst().map(String.init) }
    }

    /// The content of one of the device's files at the end.
    func left(_ file: String) -> String? {
        let start = "left \(file)="
        return lines.first { $0.hasPrefix(start) }.map { String($0.dropFirst(start.count)) }
    }
}
