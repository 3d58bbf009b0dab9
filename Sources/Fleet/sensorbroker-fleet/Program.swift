internal import Configuration
internal import Fleet
internal import Platform
internal import Programs

/// The program, from its command line to its exit status.
enum Program {
    static func run(_ words: [String]) -> ExitStatus {
        ProgramRun("sensorbroker-fleet", calledAs: "sensorctl fleet").status(of: words, run)
    }

    private static func run(_ arguments: Arguments) throws -> ExitStatus {
        if let capture = arguments.capture { return try Capture.verify(capture, arguments) }
        let settings = try settings(arguments)
        func link() throws -> ConsumerLink { try ConsumerLink(settings, arguments, signals: Signals()) }
        switch arguments.command {
        case .verify: return try VerifyCommand(arguments, settings).run(link())
        case .watch: return try WatchCommand(arguments, settings).run(link())
        case .record: return try RecordCommand(arguments, settings).run(link())
        }
    }

    private static let commandLine = "the command line"

    /// The settings of the files and the command line.
    static func settings(_ arguments: Arguments) throws(ConfigurationErrors) -> FleetSettings {
        let personal =
            EnvironmentVariable.absolutePath("XDG_CONFIG_HOME")
            ?? EnvironmentVariable.value("HOME").map { $0 + "/.config" }
        let usual =
            (personal.map { ["\($0)/sensorbroker/fleet.conf"] } ?? [])
            + ConfigurationFiles.usual("sensorbroker-fleet.conf")
        let lines = arguments.settings.map { "[\($0.section)]\n\($0.key)=\($0.value)\n" }.joined()
        let (files, problems) = ConfigurationFiles(named: arguments.configuration, usual: usual).contents()
        do throws(ConfigurationErrors) {
            let all = files + [(commandLine, Array(lines.utf8))]
            return try Configured<FleetSettings>(all, problems, for: .consumer).settings
        } catch {
            // Lines of what was made of the command line are not the user's.
            throw error.withoutLines(of: commandLine)
        }
    }
}

extension Output {
    /// Writes a note for people, which is not output; it is no failure if nobody reads it.
    static func note(_ text: String) { Journal(program: "sensorctl fleet").write(.error, text) }
}
