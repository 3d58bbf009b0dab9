internal import BrokerClient
internal import Platform
internal import Programs

/// `sensorctl` as a whole, from its arguments to its exit status.
enum Program {
    /// Runs the command line without the program's name; returns the exit status.
    static func run(_ words: [String]) -> Int32 {
        let environment = Environment.current()
        return run(words, environment, .standard(environment)).rawValue
    }

    /// The same, with a given environment and given descriptors.
    static func run(_ words: [String], _ environment: Environment, _ terminal: Terminal) -> ExitStatus {
        var terminal = terminal
        terminal.areNotesUnicode = environment.isUnicode
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
        // An instance named on the command line overrides a socket named in the environment.
        let named = arguments.socket ?? (arguments.instance == nil ? environment.socket : nil)
        var broker = Broker(
            paths: SocketPath.candidates(
                named: named, instance: arguments.instance, userRuntimeDirectory: environment.runtimeDirectory),
            instance: arguments.instance, timeoutNanoseconds: arguments.timeoutNanoseconds)
        broker.patienceNanoseconds =
            environment.patienceNanoseconds ?? SocketPath.patienceNanoseconds(isNamed: named != nil)
        var terminal = terminal
        terminal.format = arguments.format
        terminal.isUnicode = environment.isUnicode || !arguments.isForPeople
        for hint in arguments.hints { terminal.note("sensorctl: \(hint)") }
        try arguments.action.run(broker, terminal)
    }

    private static func parse(_ words: [String]) throws(Failure) -> Arguments {
        do { return try Arguments(words) } catch {
            throw Failure(.usage, "\(error)\n\(Invocation.helpLine(for: words))")
        }
    }
}

/// What the command line requests, and from which broker.
struct Arguments {
    /// What to do.
    let action: any Action
    /// The broker's socket, if one is named.
    let socket: String?
    /// The broker's instance, if one is named.
    let instance: String?
    /// How long a call of the broker may take.
    let timeoutNanoseconds: Int64
    /// What its user should know about it.
    let hints: [String]
    /// How the output is written, unless it is readings.
    let format: OutputFormat
    /// Whether the output is text for people, and not for programs.
    let isForPeople: Bool

    /// The arguments, without the program's name.
    init(_ words: [String]) throws(UsageError) {
        let invocation = try Invocation(words)
        socket = invocation.options[.socket]
        instance = try invocation.value(.instance) { name throws(UsageError) in
            guard SocketPath.isInstance(name) else {
                throw UsageError("--instance takes up to 32 lower-case letters, digits and '-', not '\(name)'")
            }
            return name
        }
        timeoutNanoseconds = try invocation.time(.timeout) ?? Broker.usualTimeoutNanoseconds
        format = invocation.format
        hints = IntervalHint.hints(invocation)
        isForPeople = invocation.command.isForPeople && (invocation.options[.format] ?? "text") == "text"
        action = try invocation.command.action(invocation)
    }
}

/// The environment variables that this program uses; an empty one counts as not set.
struct Environment {
    /// The value of `SENSORBROKER_SOCKET`.
    var socket: String?
    /// The value of `XDG_RUNTIME_DIR`.
    var runtimeDirectory: String?
    /// `NO_COLOR` is not set, and `TERM` is not `dumb`.
    var wantsColours = true
    /// Whether the locale's characters are those of Unicode, in UTF-8.
    var isUnicode = true
    /// How long to look for a socket, in tests.
    var patienceNanoseconds: Int64?

    /// The environment of this process. `getenv(3)`
    static func current() -> Self {
        Self(
            socket: EnvironmentVariable.value("SENSORBROKER_SOCKET"),
            runtimeDirectory: EnvironmentVariable.value("XDG_RUNTIME_DIR"),
            wantsColours: EnvironmentVariable.value("NO_COLOR") == nil && EnvironmentVariable.value("TERM") != "dumb",
            isUnicode: isUnicode(
                EnvironmentVariable.value("LC_ALL") ?? EnvironmentVariable.value("LC_CTYPE")
                    ?? EnvironmentVariable.value("LANG")))
    }

    /// Whether a locale such as `de_DE.UTF-8` is one of UTF-8; without a name, it is `C`.
    ///
    /// By its name, since one that is not installed still shows in its name what the terminal can display. `locale(7)`
    static func isUnicode(_ locale: String?) -> Bool {
        let codes = (locale ?? "C").split(separator: ".", maxSplits: 1).dropFirst().first ?? ""
        let name = codes.prefix { $0 != "@" }.lowercased().filter { $0 != "-" }
        return name == "utf8"
    }
}
