internal import BrokerClient

/// What the command line asks for.
struct Arguments: Equatable {
    /// What to do.
    enum Command: Equatable {
        case help
        case version
        case list
        case get(resource: String, satellites: Bool, waits: Bool)
        case watch(WatchOptions)
        case record(RecordOptions)
        case importing(ImportOptions)
        case exporting(ExportOptions)
        case set(subscription: String, requests: [Request])
        case doctor
        case status(isWide: Bool)
        case release(ReleaseCommand.Scope, seconds: Int64?)
        case reacquire(ReleaseCommand.Scope)
        case reload
        case mock(MockCommand)
    }

    /// What to do.
    let command: Command
    /// The broker's socket, if one is named.
    let socket: String?
    /// The broker's instance, if one is named.
    let instance: String?
    /// How long a call of the broker may take.
    let timeoutNanoseconds: Int64
    /// Whether text shows times in UTC instead of local time.
    let isUTC: Bool
    /// How the output is written.
    let format: OutputFormat

    /// The arguments, without the program's name.
    init(_ words: [String]) throws(UsageError) {
        let words = try Words(words)
        socket = words.options[.socket]
        instance = try Self.instance(words.options)
        timeoutNanoseconds = try Self.timeout(words.options[.timeout])
        isUTC = words.options[.utc] != nil
        format = try Self.format(words.options[.format])
        command = try Self.command(words, format)
    }

    private static func format(_ text: String?) throws(UsageError) -> OutputFormat {
        guard let text else { return .text }
        guard let format = OutputFormat(rawValue: text) else {
            throw UsageError("'\(text)' is no format: text, json or csv")
        }
        return format
    }

    private static func instance(_ options: [Option: String]) throws(UsageError) -> String? {
        guard let name = options[.instance] else { return nil }
        guard options[.socket] == nil else {
            throw UsageError("--socket and --instance both say which broker: give one of them")
        }
        guard SocketPath.isInstance(name) else {
            throw UsageError("--instance takes up to 32 lower-case letters, digits and '-', not '\(name)'")
        }
        return name
    }

    private static func timeout(_ text: String?) throws(UsageError) -> Int64 {
        guard let text else { return Broker.usualTimeoutNanoseconds }
        let timeout = try IntervalText.nanoseconds(text)
        guard timeout > 0 else { throw UsageError("--timeout needs a time, like 5s") }
        return timeout
    }

    private static let commands =
        "list, get, watch, record, import, export, set, doctor, status, release, reacquire, reload or mock"

    private static func command(_ words: Words, _ format: OutputFormat) throws(UsageError) -> Command {
        if words.options[.help] != nil { return .help }
        if words.options[.version] != nil { return .version }
        guard let name = words.others.first else { throw UsageError("no command: \(commands)") }
        let operands = Array(words.others.dropFirst())
        for option in words.options.keys {
            guard let commands = option.commands, !commands.contains(name) else { continue }
            let names = [commands.dropLast().joined(separator: ", "), commands.last ?? ""].filter { !$0.isEmpty }
            throw UsageError("\(option.text) is for \(names.joined(separator: " and ")) only")
        }
        switch name {
        case "list", "status":
            guard operands.isEmpty else { throw UsageError("\(name) takes no names, but got '\(operands[0])'") }
            return name == "list" ? .list : .status(isWide: words.options[.wide] != nil)
        case "get":
            guard operands.count == 1 else { throw UsageError("get needs one resource: sensorctl get location") }
            return .get(
                resource: operands[0], satellites: words.options[.satellites] != nil,
                waits: words.options[.wait] != nil)
        case "set": return try set(operands, words.options)
        case "reload":
            guard operands.isEmpty else { throw UsageError("reload takes no names, but got '\(operands[0])'") }
            return .reload
        case "doctor":
            guard operands.isEmpty else { throw UsageError("doctor takes no names, but got '\(operands[0])'") }
            return .doctor
        case "release":
            let scope = try ReleaseCommand.Scope(name, operands, words.options)
            return .release(scope, seconds: try ReleaseCommand.seconds(words.options[.duration]))
        case "reacquire": return .reacquire(try ReleaseCommand.Scope(name, operands, words.options))
        case "mock": return .mock(try MockCommand(operands, duration: words.options[.duration], format))
        case "record": return .record(try RecordOptions(operands, words.options))
        case "import": return .importing(try ImportOptions(operands, words.options))
        case "export": return .exporting(try ExportOptions(operands, words.options))
        case "watch": return .watch(try WatchOptions(operands, words.options))
        default: throw UsageError("there is no command '\(name)': \(commands)")
        }
    }

    private static func set(_ operands: [String], _ options: [Option: String]) throws(UsageError) -> Command {
        guard let subscription = operands.first, operands.count > 1 else {
            throw UsageError(
                "set needs a subscription, which watch --verbose tells in its first line, and what to change: "
                    + "sensorctl set SUBSCRIPTION accelerometer@20ms")
        }
        let requests = try WatchOptions.requests(operands.dropFirst(), options)
        if let request = requests.first(where: { $0.intervalNanoseconds == nil }) {
            throw UsageError("which interval for \(request.resource)? Write it like \(request.resource)@100ms")
        }
        return .set(subscription: subscription, requests: requests)
    }
}
