internal import Configuration
internal import Fleet
internal import Glibc

/// An option of the command line: the parser, the help and the manual follow this table.
struct FleetOption: Sendable {
    let text: String
    var letter: String?
    /// The placeholder of its value; nil: it has none.
    let value: String?
    /// The commands that take it; none: all.
    let commands: Set<Arguments.Command>
    let summary: String
    let apply: @Sendable (String, inout Arguments) throws(UsageError) -> Void

    init(
        _ text: String, letter: String? = nil, _ value: String? = nil, for commands: Set<Arguments.Command> = [],
        _ summary: String, apply: @escaping @Sendable (String, inout Arguments) throws(UsageError) -> Void
    ) {
        self.text = text
        self.letter = letter
        self.value = value
        self.commands = commands
        self.summary = summary
        self.apply = apply
    }

    static let all: [FleetOption] = [
        setting("--server", "URL", "mqtts://HOST[:PORT], or mqtt:// without encryption", "Server", "Url"),
        FleetOption("--host", "PATTERN", "only these hosts, such as 'truck-*'") { value, arguments in
            arguments.hosts = value
        },
        FleetOption("--resource", "NAME[,NAME]", "only these resources") {
            (value, arguments) throws(UsageError) in
            for name in value.split(separator: ",", omittingEmptySubsequences: false).map(String.init) {
                guard WantedReading.isResource(name) else { throw UsageError("'\(name)' is no name of a resource") }
                arguments.resources.insert(name)
            }
        },
        FleetOption("--resend", for: [.verify], "ask the hosts for what is missing, and wait for it") { _, arguments in
            arguments.resends = true
        },
        FleetOption("--no-resend", for: [.record], "do not ask the hosts for what is missing") { _, arguments in
            arguments.resends = false
        },
        FleetOption("--all", for: [.verify], "expect also what was sent before, from number 1 on") { _, arguments in
            arguments.wantsAll = true
        },
        FleetOption("--for", "TIME", "listen for this time, such as 10min") {
            (value, arguments) throws(UsageError) in
            do { arguments.durationNanoseconds = try TimeSpan(parsing: value).nanoseconds } catch {
                throw UsageError("--for: \(error)")
            }
        },
        FleetOption("--hold", "TIME", for: [.record], "how long messages wait for those before them (1min)") {
            (value, arguments) throws(UsageError) in
            do { arguments.holdNanoseconds = try TimeSpan(parsing: value).nanoseconds } catch {
                throw UsageError("--hold: \(error)")
            }
        },
        FleetOption("--count", "N", for: [.watch], "end after so many readings") {
            (value, arguments) throws(UsageError) in
            guard let count = Int(value), count > 0 else { throw UsageError("--count needs a number from 1 on") }
            arguments.count = count
        },
        FleetOption("--from", "FILE", for: [.verify], "verify what mosquitto_sub -F '%r %t %x' wrote") {
            value, arguments in arguments.capture = value
        },
        FleetOption("--format", "text|json", "how the output is written") { (value, arguments) throws(UsageError) in
            guard ["text", "json"].contains(value) else { throw UsageError("--format is text or json") }
            arguments.isJSON = value == "json"
        },
        FleetOption("--config", "FILE", "the configuration file, instead of the usual ones") { value, arguments in
            arguments.configuration = value
        },
        setting("--prefix", "TOPIC", "the first part of all topics (fleet)", "Topics", "Prefix"),
        setting("--user", "NAME", "the user's name at the server", "Server", "User"),
        file("--password-file", "a file whose first line is the password", "PasswordFile"),
        file("--authority", "the certificates of those who may sign the server's", "Authority"),
        file("--certificate", "the client's certificate", "Certificate"),
        file("--key", "its key", "Key"),
        setting("--protocol", "VERSION", "the version of MQTT: 5, or 3.1.1", "Server", "Version"),
        FleetOption("--help", letter: "-h", nil, "print this") { _, arguments in arguments.action = .help },
        FleetOption("--version", nil, "print the version") { _, arguments in arguments.action = .version },
    ]

    private static func setting(
        _ text: String, _ value: String, _ summary: String, _ section: String, _ key: String
    ) -> FleetOption {
        FleetOption(text, value, summary) { (value, arguments) throws(UsageError) in
            guard !value.contains(where: \.isNewline) else { throw UsageError("\(text) is one line") }
            arguments.settings.append(Arguments.Setting(section: section, key: key, value: value))
        }
    }

    /// A path is of the present directory, as everywhere on a command line.
    private static func file(_ text: String, _ summary: String, _ key: String) -> FleetOption {
        FleetOption(text, "FILE", summary) { (value, arguments) throws(UsageError) in
            guard !value.contains(where: \.isNewline) else { throw UsageError("\(text) is one line") }
            var path = value
            if !value.hasPrefix("/"), let directory = unsafe getcwd(nil, 0) {
                path = "\(unsafe String(cString: directory))/\(value)"
                unsafe free(directory)
            }
            arguments.settings.append(Arguments.Setting(section: "Server", key: key, value: path))
        }
    }
}
