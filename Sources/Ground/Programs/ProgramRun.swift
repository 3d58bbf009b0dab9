public import Configuration
internal import Glibc
internal import Platform

/// A program from its command line to its exit status: what it throws becomes words for its user, and a status.
public struct ProgramRun: Sendable {
    private let name: String
    private let journal: Journal
    private let command: String
    private let files: (@Sendable () -> [GeneratedFile])?

    /// The program with a name; `command` is what its users call, if that is something else.
    ///
    /// `make generated` has it write `files`, with `--generate DIRECTORY`, which is no option for users.
    public init(
        _ name: String, calledAs command: String? = nil, generates files: (@Sendable () -> [GeneratedFile])? = nil
    ) {
        self.files = files
        self.name = name
        self.command = command ?? name
        journal = Journal(program: self.command)
    }

    /// Parses the words after the program's name, and does what they order.
    public func status<Arguments: ProgramArguments>(
        of words: [String], _ run: (Arguments) throws -> ExitStatus
    ) -> ExitStatus {
        do {
            if let files, words.count == 2, words[0] == "--generate" {
                try GeneratedFile.write(files(), in: words[1])
                return .done
            }
            let arguments = try Arguments(words)
            switch arguments.notice {
            case nil: return try run(arguments)
            case .help: try Output.write(Arguments.usage)
            case .version: try Output.write("\(name) \(Version.text)\n")
            }
            return .done
        } catch let error as UsageError {
            return end(.usage, ["\(error) (see \(command) --help)"])
        } catch let errors as ConfigurationErrors {
            return end(.configuration, errors.all.map(\.description))
        } catch let failure as Failure {
            return end(failure.status, failure.message.map { [$0] } ?? [])
        } catch { return end(.system, ["\(error)"]) }
    }

    private func end(_ status: ExitStatus, _ messages: [String]) -> ExitStatus {
        for message in messages { journal.write(.error, message) }
        return status
    }

    /// Prints a text of the configuration, or else all its errors, one per line, as compilers write them.
    public static func check(_ text: () throws(ConfigurationErrors) -> String) throws(Failure) -> ExitStatus {
        let found: String
        do throws(ConfigurationErrors) { found = try text() } catch {
            // The verdict stands, whether anybody reads the reasons or not.
            try? Output.write(error.all.map { "\($0)\n" }.joined(), to: STDERR_FILENO)
            return .configuration
        }
        try Output.write(found)
        return .done
    }
}
