internal import Configuration
internal import Formats
internal import Glibc
internal import GPX
internal import Platform
internal import Scenarios

/// The program, from its command line to its exit status.
enum Program {
    static func run(_ words: [String]) -> ExitStatus {
        do {
            return try run(Arguments(words))
        } catch let error as UsageError {
            complain("\(error) (see sensorbrokerd --help)")
            return .usage
        } catch let failure as StartFailure {
            complain(failure.description)
            return failure.status
        } catch let errors as ConfigurationErrors {
            for problem in errors.all { complain(problem.description) }
            return .configuration
        } catch {
            complain("\(error)")
            return .system
        }
    }

    private static func run(_ arguments: Arguments) throws -> ExitStatus {
        switch arguments.action {
        case .help: try say(Arguments.usage)
        case .version: try say("sensorbrokerd \(Version.text)\n")
        case .checkConfiguration:
            return try check { () throws(ConfigurationErrors) in
                ConfigurationCheck.text(try ConfigurationFiles(arguments).read(), arguments)
            }
        case .checkScenario:
            return try check { () throws(ConfigurationErrors) in
                try Scenario(arguments.scenario ?? "", gpx: gpx).summary
            }
        case .serve:
            return try Daemon(arguments, try ConfigurationFiles(arguments).read(), try scenario(arguments)).run()
        }
        return .done
    }

    private static let gpx: Scenario.GPX = { (bytes) throws(FormatError) in try GPXReader.paths(bytes) }

    private static func scenario(_ arguments: Arguments) throws(ConfigurationErrors) -> Scenario? {
        guard let name = arguments.scenario else { return nil }
        return try Scenario(name, gpx: gpx)
    }

    private static func check(_ text: () throws(ConfigurationErrors) -> String) throws(StartFailure) -> ExitStatus {
        let found: String
        do throws(ConfigurationErrors) { found = try text() } catch {
            try say(ConfigurationCheck.text(error), STDERR_FILENO)
            return .configuration
        }
        try say(found)
        return .done
    }

    /// Writes a text as a whole. `write(2)`
    static func say(_ text: String, _ descriptor: Int32 = STDOUT_FILENO) throws(StartFailure) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                throw StartFailure(.inputOutput, "cannot write the output: \(SystemError.current("write"))")
            }
        }
    }

    private static func complain(_ text: String) { Journal().write(.error, text) }
}
