internal import BrokerClient
internal import Platform

/// The whole of `sensorctl`, from its words to its exit status.
public enum Program {
    /// Does what the words after the program's name ask for; returns the exit status.
    public static func run(_ words: [String]) -> Int32 {
        let environment = Environment.current()
        return run(words, environment, .standard(environment)).rawValue
    }

    /// The same with another environment and other descriptors.
    static func run(_ words: [String], _ environment: Environment, _ terminal: Terminal) -> ExitStatus {
        do {
            try perform(words, environment, terminal)
            return .done
        } catch {
            if let message = error.message { terminal.note("sensorctl: \(message)") }
            return error.status
        }
    }

    private static func perform(
        _ words: [String], _ environment: Environment, _ terminal: Terminal
    ) throws(Failure) {
        let arguments = try parse(words)
        let broker = Broker(
            paths: SocketPath.candidates(
                // An instance that is named wins over a socket that the environment has.
                named: arguments.socket ?? (arguments.instance == nil ? environment.socket : nil),
                instance: arguments.instance, userRuntimeDirectory: environment.runtimeDirectory),
            instance: arguments.instance, timeoutNanoseconds: arguments.timeoutNanoseconds)
        try arguments.action.run(broker, terminal)
    }

    private static func parse(_ words: [String]) throws(Failure) -> Arguments {
        do { return try Arguments(words) } catch {
            throw Failure(.usage, "\(error.message)\n\(Invocation.helpLine(for: words))")
        }
    }
}
