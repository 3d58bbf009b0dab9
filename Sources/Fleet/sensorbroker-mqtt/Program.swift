internal import Configuration
internal import Fleet
internal import MQTT
internal import Platform
internal import Programs

/// The program, from its command line to its exit status.
enum Program {
    static let name = "sensorbroker-mqtt"

    static func run(_ words: [String]) -> ExitStatus {
        ProgramRun(name).status {
            let arguments = try Arguments(words)
            switch arguments.action {
            case .help: try Output.write(Arguments.usage)
            case .version: try Output.write("\(name) \(Version.text)\n")
            case .checkConfiguration:
                return try ProgramRun.check { () throws(ConfigurationErrors) in try source(arguments).read().text }
            case .serve: return try BridgeProcess(arguments, try source(arguments).read().settings).run()
            }
            return .done
        }
    }

    private static func source(_ arguments: Arguments) -> ConfigurationSource {
        ConfigurationSource(
            named: arguments.configuration,
            usual: ConfigurationSource.directories.map { "\($0)/sensorbroker-mqtt.conf" })
    }
}
