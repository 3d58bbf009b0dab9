/// An option of the command line, by its name without the dashes.
enum Option: String, CaseIterable {
    case socket
    case format
    case interval
    case rate
    case batch
    case filter
    case minChange = "min-change"
    case satellites
    case count
    case duration = "for"
    case kind
    case all
    case help
    case version

    /// Whether a value follows it.
    var takesValue: Bool { self != .help && self != .version && self != .all && self != .satellites }

    /// The commands with which it can be given; nil: all of them.
    var commands: [String]? {
        switch self {
        case .socket, .format, .help, .version: nil
        case .kind, .all: ["release", "reacquire"]
        case .duration: ["watch", "release"]
        case .satellites: ["get", "watch"]
        case .interval, .rate, .batch, .filter, .minChange, .count: ["watch"]
        }
    }

    /// The option as it is typed.
    var text: String { "--" + rawValue }
}
