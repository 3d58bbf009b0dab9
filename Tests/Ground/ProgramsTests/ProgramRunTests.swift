import Configuration
import Glibc
import Platform
import Programs
import Testing

@Suite("A program") struct ProgramRunTests {
    private struct Surprise: Error {}

    private struct Arguments: ProgramArguments {
        static let usage = "Usage: test\n"
        var notice: ProgramNotice?
        private static let options = OptionTable<Self>([.help, .version])

        init(_ words: [String]) throws(UsageError) { _ = try Self.options.readOptions(words, into: &self) }
    }

    private func status(_ error: (any Error)?, of words: [String] = []) -> Programs.ExitStatus {
        ProgramRun("test").status(of: words) { (_: Arguments) in
            if let error { throw error }
            return .incomplete
        }
    }

    @Test("ends with the status of what it throws")
    func statuses() {
        #expect(status(nil).rawValue == 1)
        #expect(status(UsageError("no")).rawValue == 64)
        #expect(status(ConfigurationErrors(ConfigurationProblem(file: "f", line: 1, "no"))).rawValue == 78)
        #expect(status(Failure(.timedOut, "late")).rawValue == 75)
        #expect(status(Failure.outputClosed).rawValue == 0)
        #expect(status(Surprise()).rawValue == 71)
        #expect(status(nil, of: ["--wrong"]).rawValue == 64)
    }

    @Test("prints its help or its version, and does nothing else", arguments: ["--help", "-h", "--version"])
    func notices(word: String) { #expect(status(Surprise(), of: [word]) == .done) }

    @Test("blames a system call by what it means for its user")
    func calls() {
        #expect(Failure(SystemError("bind", code: EACCES)).status == .notPermitted)
        #expect(Failure(SystemError("bind", code: EADDRINUSE)).status == .cannotCreate)
        #expect(Failure(SystemError("bind", code: EMFILE)).status == .system)
    }

    @Test("writes all of its output, and reports what to do if that fails")
    func output() throws {
        var ends: [Int32] = [0, 0]
        unsafe pipe(&ends)
        signal(SIGPIPE, SIG_IGN)
        try Output.write("whole\n", to: ends[1])
        var bytes = [UInt8](repeating: 0, count: 16)
        #expect(unsafe read(ends[0], &bytes, 16) == 6)
        close(ends[0])
        #expect(throws: Failure.outputClosed) { try Output.write("x", to: ends[1]) }
        close(ends[1])
        let full = unsafe open("/dev/full", O_WRONLY)
        let failure = #expect(throws: Failure.self) { try Output.write("x", to: full) }
        #expect(failure?.status == .inputOutput && failure?.description.contains("make room") == true)
        close(full)
    }
}
