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
    case maxSize = "max-size"
    case from
    case to
    case columns
    case resource
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
        case .duration: ["watch", "record", "release", "mock"]
        case .from, .columns: ["import"]
        case .to: ["export"]
        case .resource: ["import", "export"]
        case .interval: ["watch", "record", "import"]
        case .satellites: ["get", "watch"]
        case .rate, .batch, .filter, .minChange, .count: ["watch", "record"]
        case .maxSize: ["record"]
        }
    }

    /// The option as it is typed.
    var text: String { "--" + rawValue }
}
