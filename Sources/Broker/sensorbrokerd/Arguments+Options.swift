internal import BrokerClient
internal import Gpsd
internal import IIO
internal import Programs
internal import Scenarios

/// The options: the parser and the help follow this table.
extension Arguments {
    typealias Row = OptionTable<Self>.Row

    static let options = OptionTable<Self>([
        Row(
            Option(
                "config", takes: .file, "The configuration file",
                "Drop-ins in FILE.d are read as well. By default /etc/sensorbroker/sensorbrokerd.conf."),
            \.configuration),
        Row(Option("check-config", "Print all errors of the configuration, or the settings in force")) {
            $1.action = .checkConfiguration
        },
        Row(
            Option(
                "mock", takes: .init("SCENARIO", .files, form: .optional),
                "Make every resource a mock: no hardware is touched",
                "A scenario is a file or one of the built-in ones: city-drive, drone-imu, flaky-cable, hand-held, "
                    + "indoor, laptop, phone, quadcopter, robot-arm, weather-station.")
        ) { value, arguments in
            arguments.mock = true
            if !value.isEmpty { arguments.scenario = value }
        },
        Row(Option("check", "Print all errors of the scenario, or its contents")) { $1.action = .checkScenario },
        Row(
            Option(
                "replay", takes: .file, "Play a recording of 'sensorctl record' instead of devices",
                "It begins with the first client, and again after the last one has left."), \.replay),
        Row(Option("loop", "Repeat the recording")) { $1.loop = true },
        Row(
            Option(
                "speed", takes: .init("N|max"), "Run simulated devices N times as fast as real time",
                "With max, as fast as the clients read.")
        ) { (value, arguments) throws(UsageError) in
            guard let tempo = Scenario.tempo(value) else {
                throw UsageError("--speed takes a factor from 1 to 100000, or max, not '\(value)'")
            }
            arguments.tempo = tempo
        },
        Row(Option("gpsd", takes: .init("HOST:PORT"), "Where gpsd listens", "By default localhost:2947.")) {
            (value, arguments) throws(UsageError) in
            do throws(GpsdAddressError) { arguments.gpsd = try GpsdAddress(parsing: value) } catch {
                throw UsageError("--gpsd: \(error)")
            }
        },
        Row(
            Option(
                "iio", takes: .init("URI"), "IIO context of the sensors: local: or ip:HOST", "By default local:.")
        ) { (value, arguments) throws(UsageError) in
            guard let address = IIOAddress(value) else {
                throw UsageError("--iio takes local:, ip:HOST or ip:HOST:PORT, not '\(value)'")
            }
            arguments.iio = address
        },
        Row(
            Option(
                "runtime-directory", takes: .init("DIR", .files), "The directory of the sockets and locks",
                "By default /run/sensorbroker, or $XDG_RUNTIME_DIR/sensorbroker for users who may not write there."),
            \.runtimeDirectory),
        Row(
            Option(
                "state-directory", takes: .init("DIR", .files), "The directory of the calibrations",
                "By default $STATE_DIRECTORY, /var/lib/sensorbroker, or sensorbroker in $XDG_STATE_HOME; with "
                    + "--runtime-directory, calibrations are forgotten at the end."),
            \.stateDirectory),
        Row(
            Option(
                "temporary", "Create the sockets in a new directory and remove it at the end",
                "Prints the path of the clients' socket when it is ready.")
        ) { $1.isTemporary = true },
        Row(
            Option(
                "exec", takes: .init("COMMAND", form: .rest),
                "Run a command with $SENSORBROKER_SOCKET set, and exit with its status",
                "Uses a temporary directory unless one is given. All words after it belong to the command.")
        ) { _, _ in },
        Row(
            Option(
                "instance", takes: .init("NAME"), "Run another broker, for other devices",
                "NAME has up to 32 lower-case letters, digits and '-'. It has a lock and sockets of its own.")
        ) { (value, arguments) throws(UsageError) in
            guard SocketPath.isInstance(value) else {
                throw UsageError("--instance takes up to 32 lower-case letters, digits and '-', not '\(value)'")
            }
            arguments.instance = value
        },
        .version, .help,
    ])

    static var usage: String {
        """
        Usage: sensorbrokerd [OPTION]...
        Owns this host's sensors, each exactly once, and serves their readings to any number of programs.

        \(options.help)
        Options override the configuration. SIGHUP reloads it.
        Clients are sensorctl and any Varlink client.

        """
    }
}
