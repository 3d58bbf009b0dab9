internal import Configuration
internal import Fleet
internal import Programs

/// The program, from its command line to its exit status.
enum Program {
    static let name = "sensorbroker-mqtt"

    static func run(_ words: [String]) -> ExitStatus {
        ProgramRun(name, generates: { FleetSettings.files }).status(of: words) { (arguments: Arguments) in
            guard arguments.checksConfiguration else {
                return try BridgeProcess(arguments, try configuration(arguments).settings).run()
            }
            return try ProgramRun.check { () throws(ConfigurationErrors) in try configuration(arguments).text() }
        }
    }

    private static func configuration(
        _ arguments: Arguments
    ) throws(ConfigurationErrors) -> Configured<FleetSettings> {
        let usual = ConfigurationFiles.usual("sensorbroker-mqtt.conf")
        let (files, problems) = ConfigurationFiles(named: arguments.configuration, usual: usual).contents()
        return try Configured(files, problems, for: .bridge)
    }
}
