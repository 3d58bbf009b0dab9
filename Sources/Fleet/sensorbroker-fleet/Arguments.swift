internal import Configuration
internal import Programs

/// The parsed command line.
struct Arguments: ProgramArguments, Equatable, Sendable {
    enum Command: String, CaseIterable, Sendable {
        case verify, watch, record

        /// What it does, in a line.
        var summary: String {
            switch self {
            case .verify: "prove that everything came, or name what is missing"
            case .watch: "print readings as they come, or show one line a host"
            case .record: "write a recording of each host into DIRECTORY"
            }
        }
    }

    var notice: ProgramNotice?
    /// What to do.
    private(set) var command = Command.verify
    /// The configuration file; nil: the usual one.
    var configuration: String?
    /// What the command line sets, in the form of a configuration file.
    var settings: [Setting] = []
    /// The hosts, as in a shell.
    var hosts = "*"
    /// The resources; all if none is named.
    var resources: Set<String> = []
    var isJSON = false
    /// For how long; nil: as long as it takes, or until a signal.
    var durationNanoseconds: Int64?
    /// Whether also what came before is expected.
    var wantsAll = false
    /// Whether hosts are asked for what is missing; nil: as usual for the command.
    var resends: Bool?
    /// A capture, instead of a server.
    var capture: String?
    /// After so many readings.
    var count: Int?
    /// How long messages wait for those before them; nil: as usual.
    var holdNanoseconds: Int64?
    /// Where recordings are written.
    var directory: String?

    struct Setting: Equatable, Sendable {
        let section: String
        let key: String
        let value: String
    }

    /// Parses the words after the program's name.
    init(_ words: [String]) throws(UsageError) {
        let words = try Self.options.read(words, into: &self)
        guard notice == nil else { return }
        let names = Command.allCases.map(\.rawValue)
        guard let name = words.others.first else {
            throw UsageError("a command is missing: \(Suggestion.advice(for: "", among: names))")
        }
        guard let named = Command(rawValue: name) else {
            throw UsageError("unknown command '\(name)': \(Suggestion.advice(for: name, among: names))")
        }
        command = named
        for (option, _) in words.options {
            guard let only = Self.commands[option], only != command else { continue }
            throw UsageError("\(option.text) is for \(only.rawValue) only")
        }
        if command == .record {
            guard words.others.count == 2 else {
                throw UsageError("record needs a directory to write to: record DIRECTORY")
            }
            directory = words.others[1]
        } else if words.others.count > 1 {
            throw UsageError("\(command.rawValue) takes options only, but there is also '\(words.others[1])'")
        }
    }

    /// The text of `--help`.
    static var usage: String {
        let commands = Command.allCases.map { "  \($0.rawValue.padded(8))\($0.summary)\n" }.joined()
        return """
            Usage: sensorctl fleet verify|watch|record [DIRECTORY] [OPTION]...
            What the hosts of a fleet send to their MQTT server, at the consumer's side.

            \(commands)
            \(options.help)
            Server, user and certificates are those of the section [Server] of a configuration file, or of these options.
            For details, see man sensorbroker-fleet.

            """
    }
}

extension String {
    func padded(_ width: Int) -> String { self + String(repeating: " ", count: max(1, width - count)) }
}
