/// An option of the command line, by its name without the dashes.
enum Option: String, CaseIterable {
    case socket
    case instance
    case timeout
    case format
    case interval
    case rate
    case batch
    case filter
    case minChange = "min-change"
    case satellites
    case count
    case verbose
    case reconnect
    case noReconnect = "no-reconnect"
    case wait
    case utc
    case wide
    case duration = "for"
    case maxSize = "max-size"
    case from
    case to
    case columns
    case resource
    case force
    case kind
    case all
    case help
    case version

    /// Whether a value follows it.
    var takesValue: Bool {
        switch self {
        case .help, .version, .all, .satellites, .verbose, .reconnect, .noReconnect, .wait, .utc, .wide,
            .force:
            false
        default: true
        }
    }

    /// The commands with which it can be given; nil: all of them.
    var commands: [String]? {
        switch self {
        case .socket, .instance, .timeout, .format, .help, .version: nil
        case .kind, .all: ["release", "reacquire"]
        case .duration: ["watch", "record", "release", "mock"]
        case .from, .columns: ["import"]
        case .to: ["export"]
        case .resource, .force: ["import", "export"]
        case .interval: ["watch", "record", "set", "import"]
        case .satellites: ["get", "watch"]
        case .wait: ["get"]
        case .verbose, .reconnect, .noReconnect: ["watch"]
        case .utc: ["get", "watch", "status"]
        case .wide: ["status"]
        case .rate, .batch, .filter, .minChange: ["watch", "record", "set"]
        case .count: ["watch", "record"]
        case .maxSize: ["record"]
        }
    }

    /// The option as it is typed.
    var text: String { "--" + rawValue }
}
