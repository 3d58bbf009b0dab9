/// What the command line of a program sets.
public protocol ProgramArguments: Sendable {
    /// The text of `--help`.
    static var usage: String { get }
    /// What is printed instead of anything that the program does; nil: nothing.
    var notice: ProgramNotice? { get set }

    /// Parses the words after the program's name.
    init(_ words: [String]) throws(UsageError)
}

/// What every program can print of itself.
public enum ProgramNotice: Equatable, Sendable {
    /// Its help.
    case help
    /// Its version.
    case version
}

extension OptionTable.Row where Arguments: ProgramArguments {
    /// Prints the help.
    public static var help: Self { Self(.help) { $1.notice = .help } }
    /// Prints the version.
    public static var version: Self { Self(.version) { $1.notice = .version } }
}
