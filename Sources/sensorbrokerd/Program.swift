internal import Configuration
internal import Glibc
internal import Platform
internal import Scenarios

/// From the command line to the exit status.
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
        case .help: say(Arguments.usage)
        case .version: say("sensorbrokerd \(Version.text)\n")
        case .checkConfiguration:
            return check { () throws(ConfigurationErrors) in
                ConfigurationCheck.text(try ConfigurationFiles(arguments).read(), arguments)
            }
        case .checkScenario:
            return check { () throws(ConfigurationErrors) in
                try Scenario(arguments.scenario ?? "").summary
            }
        case .serve:
            let settings = try ConfigurationFiles(arguments).read().settings.overridden(by: arguments)
            return try Daemon(arguments, settings, try scenario(arguments)).run()
        }
        return .done
    }

    private static func scenario(_ arguments: Arguments) throws(ConfigurationErrors) -> Scenario? {
        guard let name = arguments.scenario else { return nil }
        return try Scenario(name)
    }

    private static func check(_ text: () throws(ConfigurationErrors) -> String) -> ExitStatus {
        do throws(ConfigurationErrors) {
            say(try text())
            return .done
        } catch {
            say(ConfigurationCheck.text(error), STDERR_FILENO)
            return .configuration
        }
    }

    static func say(_ text: String, _ descriptor: Int32 = STDOUT_FILENO) {
        let bytes = Array(text.utf8)
        _ = unsafe write(descriptor, bytes, bytes.count)
    }

    private static func complain(_ text: String) { Journal().write(.error, text) }
}
