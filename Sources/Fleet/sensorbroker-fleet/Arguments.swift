internal import Configuration
internal import Fleet
internal import Glibc

/// The parsed command line.
struct Arguments: Equatable, Sendable {
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

    enum Action: Equatable, Sendable {
        case run(Command), help, version
    }

    var action = Action.help
    /// The configuration file; nil: the usual one.
    var configuration: String?
    /// What the command line sets, as a configuration file says it.
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
        var rest = words[...]
        var operands: [String] = []
        var given: [FleetOption] = []
        while let word = rest.popFirst() {
            guard word.hasPrefix("-"), word.count > 1 else {
                operands.append(word)
                continue
            }
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard let option = FleetOption.all.first(where: { $0.text == parts[0] || $0.letter == parts[0] }) else {
                let near = Suggestion.nearest(to: parts[0], among: FleetOption.all.map(\.text))
                throw UsageError("unknown option \(parts[0])" + (near.map { ": did you mean \($0)?" } ?? ""))
            }
            var value = ""
            if let name = option.value {
                guard let text = parts.count == 2 ? parts[1] : rest.popFirst(), !text.isEmpty else {
                    throw UsageError("\(option.text) needs a value: \(option.text) \(name)")
                }
                value = text
            } else if parts.count == 2 {
                throw UsageError("\(option.text) takes no value")
            }
            try option.apply(value, &self)
            given.append(option)
        }
        if [.version].contains(action) || given.contains(where: { $0.text == "--help" }) { return }
        let names = Command.allCases.map(\.rawValue)
        guard let name = operands.first else {
            throw UsageError("a command is missing: there are \(names.joined(separator: ", "))")
        }
        guard let command = Command(rawValue: name) else {
            throw UsageError("unknown command '\(name)': there are \(names.joined(separator: ", "))")
        }
        if let wrong = given.first(where: { !$0.commands.isEmpty && !$0.commands.contains(command) }) {
            throw UsageError(
                "\(wrong.text) is for \(wrong.commands.map(\.rawValue).sorted().joined(separator: " and ")) only")
        }
        if command == .record {
            guard operands.count == 2 else {
                throw UsageError("record needs a directory to write to: record DIRECTORY")
            }
            directory = operands[1]
        } else if operands.count > 1 {
            throw UsageError("\(command.rawValue) takes options only, but there is also '\(operands[1])'")
        }
        action = .run(command)
    }

    /// The text of `--help`.
    static var usage: String {
        let commands = Command.allCases.map { "  \($0.rawValue.padded(8))\($0.summary)\n" }.joined()
        let options = FleetOption.all.map { option in
            let name = "  \(option.text)\(option.value.map { " \($0)" } ?? "")"
            return name.padded(26) + option.summary + "\n"
        }.joined()
        return """
            Usage: sensorctl fleet verify|watch|record [DIRECTORY] [OPTION]...
            What the hosts of a fleet send to their MQTT server, at the consumer's side.

            \(commands)
            \(options)
            Server, user and certificates are those of the section [Server] of a configuration file, or of these options.
            For details, see man sensorbroker-fleet.

            """
    }
}

/// An error in the command line.
struct UsageError: Error, Equatable, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

extension String {
    func padded(_ width: Int) -> String { self + String(repeating: " ", count: max(1, width - count)) }
}
