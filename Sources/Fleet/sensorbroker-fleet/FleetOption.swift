internal import Configuration
internal import Fleet
internal import Glibc
internal import Programs

/// The options of the command line: the parser, the help and the manual follow this table.
enum FleetOption {
    typealias Row = OptionTable<Arguments>.Row

    static let table = OptionTable<Arguments>([
        setting("server", "URL", "mqtts://HOST[:PORT], or mqtt:// without encryption", "Server", "Url"),
        Row(Option("host", takes: .init("PATTERN"), "Only these hosts, such as 'truck-*'")) { $1.hosts = $0 },
        Row(Option("resource", takes: .init("NAME[,NAME]"), "Only these resources")) {
            (value, arguments) throws(UsageError) in
            for name in value.split(separator: ",", omittingEmptySubsequences: false).map(String.init) {
                guard WantedReading.isResource(name) else { throw UsageError("'\(name)' is no name of a resource") }
                arguments.resources.insert(name)
            }
        },
        Row(resend) { $1.resends = true },
        Row(noResend) { $1.resends = false },
        Row(all) { $1.wantsAll = true },
        Row(Option("for", takes: .time, "Listen for this time, such as 10min")) {
            (value, arguments) throws(UsageError) in
            arguments.durationNanoseconds = try nanoseconds(value, "--for")
        },
        Row(hold) { (value, arguments) throws(UsageError) in
            arguments.holdNanoseconds = try nanoseconds(value, "--hold")
        },
        Row(count) { (value, arguments) throws(UsageError) in
            guard let count = Int(value), count > 0 else { throw UsageError("--count needs a number from 1 on") }
            arguments.count = count
        },
        Row(from, \.capture),
        Row(Option("format", takes: .init(oneOf: ["text", "json"]), "How the output is written")) {
            $1.isJSON = $0 == "json"
        },
        Row(Option("config", takes: .file, "The configuration file, instead of the usual ones"), \.configuration),
        setting("prefix", "TOPIC", "The first part of all topics (fleet)", "Topics", "Prefix"),
        setting("user", "NAME", "The user's name at the server", "Server", "User"),
        file("password-file", "A file whose first line is the password", "PasswordFile"),
        file("authority", "The certificates of those who may sign the server's", "Authority"),
        file("certificate", "The client's certificate", "Certificate"),
        file("key", "Its key", "Key"),
        setting("protocol", "VERSION", "The version of MQTT: 5, or 3.1.1", "Server", "Version"),
        Row(.help) { $1.action = .help },
        Row(.version) { $1.action = .version },
    ])

    private static let resend = Option("resend", "Ask the hosts for what is missing, and wait for it")
    private static let noResend = Option("no-resend", "Do not ask the hosts for what is missing")
    private static let all = Option("all", "Expect also what was sent before, from number 1 on")
    private static let hold = Option("hold", takes: .time, "How long messages wait for those before them (1min)")
    private static let count = Option("count", takes: .init("N"), "End after so many readings")
    private static let from = Option("from", takes: .file, "Verify what mosquitto_sub -F '%r %t %x' wrote")

    /// The options that only one command takes.
    static let commands: [Option: Arguments.Command] = [
        resend: .verify, all: .verify, from: .verify, noResend: .record, hold: .record, count: .watch,
    ]

    private static func nanoseconds(_ text: String, _ option: String) throws(UsageError) -> Int64 {
        do { return try TimeSpan(parsing: text).nanoseconds } catch { throw UsageError("\(option): \(error)") }
    }

    private static func setting(
        _ name: String, _ value: String, _ summary: String, _ section: String, _ key: String
    ) -> Row {
        Row(Option(name, takes: .init(value), summary)) { (value, arguments) throws(UsageError) in
            guard !value.contains(where: \.isNewline) else { throw UsageError("--\(name) is one line") }
            arguments.settings.append(Arguments.Setting(section: section, key: key, value: value))
        }
    }

    /// A path is of the present directory, as everywhere on a command line.
    private static func file(_ name: String, _ summary: String, _ key: String) -> Row {
        Row(Option(name, takes: .file, summary)) { (value, arguments) throws(UsageError) in
            guard !value.contains(where: \.isNewline) else { throw UsageError("--\(name) is one line") }
            var path = value
            if !value.hasPrefix("/"), let directory = unsafe getcwd(nil, 0) {
                path = "\(unsafe String(cString: directory))/\(value)"
                unsafe free(directory)
            }
            arguments.settings.append(Arguments.Setting(section: "Server", key: key, value: path))
        }
    }
}
