internal import Programs

/// The parsed command line.
struct Arguments: ProgramArguments, Equatable, Sendable {
    var notice: ProgramNotice?
    /// Whether the settings are printed, and nothing is sent.
    var checksConfiguration = false
    /// The configuration file; nil: the usual one.
    var configuration: String?
    /// The directory of the spool; nil: that of the unit, or the usual one.
    var spool: String?
    /// The socket of the broker; nil: the usual one.
    var socket: String?

    private static let options = OptionTable<Self>([
        .init(
            Option(
                "config", takes: .file, "The configuration file",
                "Drop-ins in FILE.d are read as well. By default /etc/sensorbroker/sensorbroker-mqtt.conf."),
            \.configuration),
        .init(Option("check-config", "Print all errors of the configuration, or the settings in force")) {
            $1.checksConfiguration = true
        },
        .init(
            Option(
                "spool", takes: .init("DIR", .files), "The directory of the spool",
                "By default $STATE_DIRECTORY, or /var/lib/sensorbroker-mqtt."), \.spool),
        .init(
            Option(
                "socket", takes: .init("PATH", .files), "The broker's socket",
                "By default $SENSORBROKER_SOCKET, or the usual one."), \.socket),
        .help, .version,
    ])

    /// Parses the words after the program's name.
    init(_ words: [String]) throws(UsageError) { _ = try Self.options.readOptions(words, into: &self) }

    /// The text of `--help`.
    static var usage: String {
        """
        Usage: sensorbroker-mqtt [OPTION]...
        Sends readings of this host's sensor broker to an MQTT server, and keeps them in a spool until it has them.

        \(options.help)
        What consumers get is in sensorbroker-mqtt(8), the settings are in sensorbroker-mqtt.conf(5).

        """
    }
}
