internal import Glibc
internal import Platform

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
        } catch {
            complain("\(error)")
            return .system
        }
    }

    private static func run(_ arguments: Arguments) throws -> ExitStatus {
        switch arguments.action {
        case .help: say(Arguments.usage)
        case .version: say("sensorbrokerd \(Version.text)\n")
        case .serve: try Daemon(arguments).run()
        }
        return .done
    }

    private static func say(_ text: String) {
        let bytes = Array(text.utf8)
        _ = unsafe write(STDOUT_FILENO, bytes, bytes.count)
    }

    private static func complain(_ text: String) { Journal().write(.error, text) }
}
