/// An option of the command line, by its name without the dashes.
enum Option: String, CaseIterable {
    case socket
    case format
    case interval
    case rate
    case batch
    case filter
    case minChange = "min-change"
    case count
    case duration = "for"
    case help
    case version

    /// Whether a value follows it.
    var takesValue: Bool { self != .help && self != .version }

    /// Whether it can be given with every command.
    var isGeneral: Bool { !takesValue || self == .socket || self == .format }

    /// The option as it is typed.
    var text: String { "--" + rawValue }
}
