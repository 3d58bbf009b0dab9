/// The parsed command line.
struct Arguments: Equatable, Sendable {
    enum Action: Equatable, Sendable {
        case serve, checkConfiguration, help, version
    }

    var action = Action.serve
    /// The configuration file; nil: the usual one.
    var configuration: String?
    /// The directory of the spool; nil: that of the unit, or the usual one.
    var spool: String?
    /// The socket of the broker; nil: the usual one.
    var socket: String?

    /// Parses the words after the program's name.
    init(_ words: [String]) throws(UsageError) {
        var words = words[...]
        while let word = words.popFirst() {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let attached = parts.count == 2 ? parts[1] : nil
            func value() throws(UsageError) -> String {
                guard let text = attached ?? words.popFirst(), !text.isEmpty else {
                    throw UsageError("\(parts[0]) needs a value")
                }
                return text
            }
            switch parts[0] {
            case "--config": configuration = try value()
            case "--spool": spool = try value()
            case "--socket": socket = try value()
            case "--check-config" where attached == nil: action = .checkConfiguration
            case "--help" where attached == nil, "-h" where attached == nil: action = .help
            case "--version" where attached == nil: action = .version
            default: throw UsageError("unknown argument '\(word)'")
            }
        }
    }

    /// The text of `--help`.
    static let usage = """
        Usage: sensorbroker-mqtt [OPTION]...
        Sends readings of this host's sensor broker to an MQTT server, and keeps them in a spool until it has them.

          --config FILE      the configuration file; drop-ins in FILE.d are read as well
                             (default: /etc/sensorbroker/sensorbroker-mqtt.conf)
          --check-config     print all errors of the configuration, or the settings in force
          --spool DIR        the directory of the spool
                             (default: $STATE_DIRECTORY, or /var/lib/sensorbroker-mqtt)
          --socket PATH      the broker's socket (default: $SENSORBROKER_SOCKET, or the usual one)
          --version          print the version
          --help             print this

        What consumers get is in sensorbroker-mqtt(8), the settings are in sensorbroker-mqtt.conf(5).

        """
}

/// An error in the command line.
struct UsageError: Error, Equatable, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
