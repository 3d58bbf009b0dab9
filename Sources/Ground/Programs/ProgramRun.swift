public import Configuration
internal import Glibc
internal import Platform

/// A program from its command line to its exit status: what it throws becomes words for its user, and a status.
public struct ProgramRun: Sendable {
    private let journal: Journal
    private let help: String

    /// The program with a name; `help` is the command line that explains it.
    public init(_ name: String, help: String? = nil) {
        journal = Journal(program: name)
        self.help = help ?? "\(name) --help"
    }

    /// Runs the program.
    public func status(of run: () throws -> ExitStatus) -> ExitStatus {
        do { return try run() } catch let error as UsageError {
            return end(.usage, ["\(error) (see \(help))"])
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
