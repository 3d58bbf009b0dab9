internal import Configuration
internal import Formats
internal import GPX
internal import Platform
internal import Programs
internal import Scenarios

/// The program, from its command line to its exit status.
enum Program {
    static func run(_ words: [String]) -> ExitStatus {
        ProgramRun("sensorbrokerd", generates: { Settings.files }).status(of: words, run)
    }

    private static func run(_ arguments: Arguments) throws -> ExitStatus {
        switch arguments.action {
        case .checkConfiguration:
            return try ProgramRun.check { () throws(ConfigurationErrors) in
                let configured = try ConfigurationFiles(arguments).read()
                return configured.text(overridden: configured.settings.overridden(by: arguments))
            }
        case .checkScenario:
            return try ProgramRun.check { () throws(ConfigurationErrors) in
                try Scenario(arguments.scenario ?? "", gpx: gpx).summary
            }
        case .serve:
            if let kernel = KernelVersion.current(), kernel < .oldest {
                throw Failure(
                    .unavailable,
                    "Linux \(kernel) is too old: \(KernelVersion.oldest) or later is needed; update the kernel")
            }
            return try Daemon(arguments, try ConfigurationFiles(arguments).read(), try scenario(arguments)).run()
        }
    }

    private static let gpx: Scenario.GPX = { (bytes) throws(FormatError) in try GPXReader.paths(bytes) }

    private static func scenario(_ arguments: Arguments) throws(ConfigurationErrors) -> Scenario? {
        guard let name = arguments.scenario else { return nil }
        return try Scenario(name, gpx: gpx)
    }
}
