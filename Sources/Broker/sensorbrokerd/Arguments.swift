internal import Gpsd
internal import IIO

/// The parsed command line.
struct Arguments: Equatable, Sendable {
    /// What to do.
    enum Action: Equatable, Sendable {
        /// Run the daemon.
        case serve
        /// Check the configuration, and print it.
        case checkConfiguration
        /// Check the scenario, and print it.
        case checkScenario
        /// Print the usage.
        case help
        /// Print the version.
        case version
    }

    /// What to do.
    var action = Action.serve
    /// The name of a further broker on this host; nil for the first one.
    var instance: String?
    /// The directory of sockets and locks; nil: the usual one.
    var runtimeDirectory: String?
    /// Whether all devices are simulated.
    var mock = false
    /// The recording to replay instead of any device; nil: none.
    var replay: String?
    /// Whether the recording repeats.
    var loop = false
    /// The scenario: a file, or the name of a built-in one; nil: a hand and a drive.
    var scenario: String?
    /// Whether sockets and locks are in a temporary directory of this process.
    var isTemporary = false
    /// The command to run and to end with; empty: none.
    var command: [String] = []
    /// The speed of simulated time; nil: the host's.
    var speed: Speed?
    /// The address of gpsd; nil: the usual one.
    var gpsd: GpsdAddress?
    /// The configuration file; nil: the usual one.
    var configuration: String?
    /// The IIO context of the sensors; nil: this host's.
    var iio: IIOAddress?

    /// Parses the words after the program's name.
    init(_ words: [String]) throws(UsageError) {
        var words = words[...]
        while let word = words.popFirst() {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            try take(parts[0], parts.count == 2 ? parts[1] : nil, &words)
        }
        guard !mock || (gpsd == nil && iio == nil) else {
            throw UsageError("--mock makes every resource a mock: leave out --gpsd and --iio, or --mock")
        }
        try checkReplay()
        try checkTogether()
    }

    private func checkTogether() throws(UsageError) {
        guard action != .checkScenario || scenario != nil else {
            throw UsageError(
                "--check needs to know what to check: --mock=FILE --check; for the configuration --check-config")
        }
        guard !isTemporary || (runtimeDirectory == nil && instance == nil) else {
            throw UsageError("--temporary creates its own directory: leave out --runtime-directory and --instance")
        }
        guard speed == nil || isSimulated else {
            throw UsageError(
                "--speed is only for simulated devices and recordings: leave it out, or add --mock or "
                    + "--replay FILE")
        }
    }

    /// Whether no hardware is used.
    var isSimulated: Bool { mock || replay != nil }

    private func checkReplay() throws(UsageError) {
        guard replay == nil || (!mock && gpsd == nil && iio == nil) else {
            throw UsageError(
                "--replay plays a recording instead of devices: leave out --mock, --gpsd and --iio, or --replay")
        }
        guard !loop || replay != nil else { throw UsageError("--loop is for --replay FILE: add that, or leave it out") }
    }

    private mutating func take(
        _ name: String, _ attached: String?, _ words: inout ArraySlice<String>
    ) throws(UsageError) {
        func value() throws(UsageError) -> String {
            guard let text = attached ?? words.popFirst(), !text.isEmpty else {
                throw UsageError("\(name) needs a value")
            }
            return text
        }
        switch name {
        case "--mock" where attached != nil: (mock, scenario) = (true, try value())
        case "--instance": instance = try Self.checkedInstance(value())
        case "--runtime-directory": runtimeDirectory = try value()
        case "--config": configuration = try value()
        case "--gpsd": gpsd = try Self.gpsdAddress(value())
        case "--replay": replay = try value()
        // Everything after it belongs to the command.
        case "--exec":
            guard attached == nil, !words.isEmpty else {
                throw UsageError("--exec needs a command, as in --exec pytest tests")
            }
            command = Array(words)
            words = []
        case "--speed": speed = try Self.speed(value())
        case "--iio": iio = try Self.iioAddress(value())
        default:
            guard attached == nil else { throw UsageError("\(name) takes no value, or is not known") }
            try takeFlag(name)
        }
    }

    private mutating func takeFlag(_ name: String) throws(UsageError) {
        switch name {
        case "--mock": mock = true
        case "--loop": loop = true
        case "--temporary": isTemporary = true
        case "--check": action = .checkScenario
        case "--check-config": action = .checkConfiguration
        case "--help", "-h": action = .help
        case "--version": action = .version
        default: throw UsageError("unknown argument '\(name)'")
        }
    }

    private static func speed(_ text: String) throws(UsageError) -> Speed {
        guard let speed = Speed(text) else { throw UsageError("--speed takes \(Speed.words), not '\(text)'") }
        return speed
    }

    private static func gpsdAddress(_ text: String) throws(UsageError) -> GpsdAddress {
        do throws(GpsdAddressError) {
            return try GpsdAddress(parsing: text)
        } catch {
            throw UsageError("--gpsd: \(error)")
        }
    }

    private static func iioAddress(_ text: String) throws(UsageError) -> IIOAddress {
        guard let address = IIOAddress(text) else {
            throw UsageError("--iio takes local:, ip:HOST or ip:HOST:PORT, not '\(text)'")
        }
        return address
    }

    /// An instance's name becomes part of file names.
    private static func checkedInstance(_ name: String) throws(UsageError) -> String {
        let isPlain = name.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || byte == UInt8(ascii: "-")
        }
        guard isPlain, (1...32).contains(name.utf8.count) else {
            throw UsageError("--instance takes up to 32 lower-case letters, digits and '-', not '\(name)'")
        }
        return name
    }

    /// The text of `--help`.
    static let usage = """
        Usage: sensorbrokerd [OPTION]...
        Owns this host's sensors, each exactly once, and serves their readings to any number of programs.

          --config FILE             the configuration file; drop-ins in FILE.d are read as well
                                    (default: /etc/sensorbroker/sensorbrokerd.conf)
          --check-config            print all errors of the configuration, or the settings in force
          --mock                    make every resource a mock: no hardware is touched
          --mock=SCENARIO           the same with a scenario, which is a file or one of the built-in ones:
                                    city-drive, drone-imu, flaky-cable, hand-held, indoor, laptop,
                                    phone, quadcopter, weather-station
          --check                   print all errors of the scenario, or its contents
          --replay FILE             play a recording of 'sensorctl record' instead of devices; it begins
                                    with the first client, and again after the last one has left
          --loop                    repeat the recording
          --speed N|max             run simulated devices N times as fast as real time,
                                    or as fast as the clients read
          --gpsd HOST:PORT          where gpsd listens (default: localhost:2947)
          --iio URI                 IIO context of the sensors: local: or ip:HOST (default: local:)
          --runtime-directory DIR   the directory of the sockets and locks (default: /run/sensorbroker,
                                    or $XDG_RUNTIME_DIR/sensorbroker if that is not writable)
          --temporary               create the sockets in a new directory and remove it at the end;
                                    print the path of the clients' socket when it is ready
          --exec COMMAND...         run a command with $SENSORBROKER_SOCKET set, and exit with its status;
                                    uses a temporary directory unless one is given
          --instance NAME           run another broker, for other devices, with its own lock and sockets
          --version                 print the version
          --help                    print this

        Options override the configuration. SIGHUP reloads it.
        Clients are sensorctl and any Varlink client.

        """
}

/// An error in the command line.
struct UsageError: Error, Equatable, CustomStringConvertible {
    /// What is wrong, and what would be right.
    let description: String

    init(_ description: String) { self.description = description }
}
