internal import BrokerClient
internal import Platform
internal import Programs

/// The program, from its command line to its exit status.
enum Program {
    static let name = "sensorbroker-desktop"

    /// Runs the command line without the program's name.
    static func run(_ words: [String]) -> ExitStatus {
        ProgramRun(name).status(of: words) { (arguments: Arguments) in
            arguments.servesLocations
                ? try NMEAService(paths: arguments.paths, socket: arguments.nmeaSocket).run()
                : try DesktopService(paths: arguments.paths).run()
        }
    }
}

/// The parsed command line.
struct Arguments: ProgramArguments, Equatable, Sendable {
    var notice: ProgramNotice?
    /// Whether locations are served as NMEA, and not the bus.
    private(set) var servesLocations = false
    /// The socket of the broker, if one is named.
    private(set) var socket: String?
    /// The socket on which to serve NMEA; nil: the one that the service manager passed.
    private(set) var nmeaSocket: String?

    private static let options = OptionTable<Self>([
        .init(
            Option(
                "socket", takes: .init("PATH", .files), "The broker's socket",
                "By default $SENSORBROKER_SOCKET, or as sensorctl."), \.socket),
        .init(Option("nmea", "Serve locations")) { $1.servesLocations = true },
        .init(
            Option(
                "listen", takes: .init("PATH", .files), "Serve locations on this socket",
                "By default the one that systemd passes."), \.nmeaSocket),
        .help, .version,
    ])

    /// Parses the words after the program's name.
    init(_ words: [String]) throws(UsageError) {
        _ = try Self.options.readOptions(words, into: &self)
        guard nmeaSocket == nil || servesLocations || notice != nil else {
            throw UsageError("--listen is for --nmea: add that, or leave it out")
        }
    }

    /// Where the broker's socket may be.
    var paths: [String] {
        SocketPath.candidates(
            named: socket ?? EnvironmentVariable.value("SENSORBROKER_SOCKET"),
            userRuntimeDirectory: EnvironmentVariable.value("XDG_RUNTIME_DIR"))
    }

    /// The text of `--help`.
    static var usage: String {
        """
        Usage: sensorbroker-desktop [--socket PATH]
               sensorbroker-desktop --nmea [--listen PATH] [--socket PATH]

        Serves this host's sensors to programs of the desktop: as iio-sensor-proxy does, as
        net.hadess.SensorProxy on the system bus, for rotation, brightness, proximity and
        compass; with --nmea, the location as NMEA 0183 on a Unix socket, for geoclue.

        \(options.help)
        Manual: sensorbroker-desktop(8)

        """
    }
}
