internal import Configuration
internal import Fleet
internal import Glibc
internal import Programs

/// What each option sets.
extension Arguments {
    typealias Row = OptionTable<Self>.Row

    static let options = OptionTable<Self>([
        setting(FleetOption.server, "Server", "Url"),
        Row(FleetOption.host) { $1.hosts = $0 },
        Row(FleetOption.resource) { (value, arguments) throws(UsageError) in
            for name in value.split(separator: ",", omittingEmptySubsequences: false).map(String.init) {
                guard WantedReading.isResource(name) else { throw UsageError("'\(name)' is no name of a resource") }
                arguments.resources.insert(name)
            }
        },
        Row(FleetOption.resend) { $1.resends = true },
        Row(FleetOption.noResend) { $1.resends = false },
        Row(FleetOption.fromStart) { $1.wantsAll = true },
        Row(FleetOption.duration) { (value, arguments) throws(UsageError) in
            arguments.durationNanoseconds = try nanoseconds(value, "--for")
        },
        Row(FleetOption.hold) { (value, arguments) throws(UsageError) in
            arguments.holdNanoseconds = try nanoseconds(value, "--hold")
        },
        Row(FleetOption.count) { (value, arguments) throws(UsageError) in
            guard let count = Int(value), count > 0 else { throw UsageError("--count needs a number from 1 on") }
            arguments.count = count
        },
        Row(FleetOption.capture, \.capture),
        Row(Option("format", takes: .init(oneOf: ["text", "json"]), "How the output is written")) {
            $1.isJSON = $0 == "json"
        },
        Row(FleetOption.configuration, \.configuration),
        setting(FleetOption.prefix, "Topics", "Prefix"),
        setting(FleetOption.user, "Server", "User"),
        file(FleetOption.passwordFile, "PasswordFile"),
        file(FleetOption.authority, "Authority"),
        file(FleetOption.certificate, "Certificate"),
        file(FleetOption.key, "Key"),
        setting(FleetOption.version, "Server", "Version"),
        .help, .version,
    ])

    /// The options that only one command takes.
    static let commands: [Option: Command] = [
        FleetOption.resend: .verify, FleetOption.fromStart: .verify, FleetOption.capture: .verify,
        FleetOption.noResend: .record, FleetOption.hold: .record, FleetOption.count: .watch,
    ]

    private static func nanoseconds(_ text: String, _ option: String) throws(UsageError) -> Int64 {
        do { return try TimeSpan(parsing: text).nanoseconds } catch { throw UsageError("\(option): \(error)") }
    }

    private static func setting(
        _ option: Option, _ section: String, _ key: String, _ whole: @escaping @Sendable (String) -> String = { $0 }
    ) -> Row {
        Row(option) { (value, arguments) throws(UsageError) in
            guard !value.contains(where: \.isNewline) else { throw UsageError("\(option.text) is one line") }
            arguments.settings.append(Setting(section: section, key: key, value: whole(value)))
        }
    }

    /// A path is of the present directory, as everywhere on a command line.
    private static func file(_ option: Option, _ key: String) -> Row {
        setting(option, "Server", key) { path in
            guard !path.hasPrefix("/"), let directory = unsafe getcwd(nil, 0) else { return path }
            defer { unsafe free(directory) }
            return "\(unsafe String(cString: directory))/\(path)"
        }
    }
}
