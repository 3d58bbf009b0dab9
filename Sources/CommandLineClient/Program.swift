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
        switch arguments.command {
        case .help: try terminal.print([Help.text])
        case .version: try terminal.print(["sensorctl \(Version.text)"])
        case .list: try ListCommand(format: arguments.format).run(broker, terminal)
        case .get(let resource, let satellites, let waits):
            try GetCommand(
                resource: resource, satellites: satellites, waits: waits, format: arguments.format,
                clock: WallClock(isUTC: arguments.isUTC)
            ).run(broker, terminal)
        case .doctor: try DoctorCommand(format: arguments.format).run(broker, terminal)
        case .status(let isWide):
            try StatusCommand(format: arguments.format, isWide: isWide, isUTC: arguments.isUTC).run(broker, terminal)
        case .release(let scope, let seconds):
            try ReleaseCommand(scope: scope, seconds: seconds, format: arguments.format).run(broker, terminal)
        case .reacquire(let scope): try ReacquireCommand(scope: scope, format: arguments.format).run(broker, terminal)
        case .mock(let command): try command.run(broker, terminal)
        case .reload: try ReloadCommand().run(broker)
        case .set(let subscription, let requests):
            try SetCommand(subscription: subscription, requests: requests, format: arguments.format)
                .run(broker, terminal)
        case .record(let options):
            var command = RecordCommand(options, terminal)
            try command.run(broker)
        case .importing(let options): try ImportCommand(options: options).run(terminal)
        case .exporting(let options): try ExportCommand(options: options).run(terminal)
        case .watch(let options):
            var command = WatchCommand(options, arguments.format, WallClock(isUTC: arguments.isUTC), terminal)
            try command.run(broker)
        }
    }

    private static func parse(_ words: [String]) throws(Failure) -> Arguments {
        do { return try Arguments(words) } catch {
            throw Failure(.usage, "\(error.message)\nFor all commands and options: sensorctl --help")
        }
    }
}
