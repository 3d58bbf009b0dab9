internal import BrokerClient
internal import Glibc
internal import Platform

/// The program, from its command line to its exit status.
enum Program {
    /// Runs the command line without the program's name.
    static func run(_ words: [String]) -> ExitStatus {
        do {
            let arguments = try Arguments(words)
            switch arguments.action {
            case .help: print(Arguments.usage, terminator: "")
            case .version: print("sensorbroker-desktop \(Version.text)")
            case .serve: return try DesktopService(paths: arguments.paths).run()
            case .nmea: return try NMEAService(paths: arguments.paths, socket: arguments.nmeaSocket).run()
            }
            return .done
        } catch let failure as StartFailure {
            Log.warn(failure.description)
            return failure.status
        } catch {
            Log.warn("\(error)")
            return .system
        }
    }
}

/// The exit status; the numbers are those of sysexits.h.
struct ExitStatus: Equatable, Sendable {
    /// The number.
    let rawValue: Int32

    /// The program was stopped.
    static let done = Self(rawValue: 0)
    /// The command line is invalid.
    static let usage = Self(rawValue: 64)
    /// Another program has what this one needs.
    static let unavailable = Self(rawValue: 69)
    /// The system refused something.
    static let system = Self(rawValue: 71)
}

/// Why the program cannot serve.
struct StartFailure: Error, CustomStringConvertible {
    /// The exit status.
    let status: ExitStatus
    /// What happened, and what to do about it.
    let description: String

    init(_ status: ExitStatus, _ description: String) { (self.status, self.description) = (status, description) }
}

/// The parsed command line.
struct Arguments: Equatable, Sendable {
    /// What to do.
    enum Action: Equatable, Sendable {
        /// Serve the bus.
        case serve
        /// Serve locations as NMEA.
        case nmea
        /// Print the usage.
        case help
        /// Print the version.
        case version
    }

    /// What to do.
    private(set) var action = Action.serve
    /// The socket of the broker, if one is named.
    private(set) var socket: String?
    /// The socket on which to serve NMEA; nil: the one that the service manager passed.
    private(set) var nmeaSocket: String?

    /// Parses the words after the program's name.
    init(_ words: [String]) throws(StartFailure) {
        var words = words[...]
        while let word = words.popFirst() {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            switch (parts[0], parts.count) {
            case ("--socket", _): socket = try Self.value(parts, &words)
            case ("--nmea", 1): action = .nmea
            case ("--listen", _): nmeaSocket = try Self.value(parts, &words)
            case ("--help", 1): action = .help
            case ("--version", 1): action = .version
            default:
                throw StartFailure(.usage, "'\(word)' is not known; see sensorbroker-desktop --help")
            }
        }
        guard nmeaSocket == nil || action != .serve else {
            throw StartFailure(.usage, "--listen is for --nmea: add that, or leave it out")
        }
    }

    private static func value(_ parts: [String], _ words: inout ArraySlice<String>) throws(StartFailure) -> String {
        guard let text = parts.count == 2 ? parts[1] : words.popFirst(), !text.isEmpty else {
            throw StartFailure(.usage, "\(parts[0]) needs a path")
        }
        return text
    }

    /// Where the broker's socket may be.
    var paths: [String] {
        SocketPath.candidates(
            named: socket ?? Self.environment("SENSORBROKER_SOCKET"),
            userRuntimeDirectory: Self.environment("XDG_RUNTIME_DIR"))
    }

    private static func environment(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        let text = unsafe String(cString: value)
        return text.isEmpty ? nil : text
    }

    /// The text of `--help`.
    static let usage = """
        usage: sensorbroker-desktop [--socket PATH]
               sensorbroker-desktop --nmea [--listen PATH] [--socket PATH]

        Serves this host's sensors to programs of the desktop: as iio-sensor-proxy does, as
        net.hadess.SensorProxy on the system bus, for rotation, brightness, proximity and
        compass; with --nmea, the location as NMEA 0183 on a Unix socket, for geoclue.

          --socket PATH  the broker's socket (default: $SENSORBROKER_SOCKET, or as sensorctl)
          --nmea         serve locations
          --listen PATH  on this socket (default: the one that systemd passes)
          --help         this
          --version      the version

        Manual: sensorbroker-desktop(8)

        """
}
