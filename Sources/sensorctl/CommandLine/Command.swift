/// A command of `sensorctl`: what the parser, the help, the manual and the completions know of it.
///
/// Each command is declared beside what it does, in the file of its name. Texts mark what is typed literally with backticks.
struct Command: Sendable {
    /// Whose help lists it.
    enum Audience: Sendable {
        case everybody
        case administrator
        /// Those who work on this project; not listed.
        case maintainer
    }

    /// What it is called.
    let name: String
    /// What it does, in one line.
    let summary: String
    /// For whom it is.
    var audience = Audience.everybody
    /// What follows the name, in this order.
    var operands: [Operand] = []
    /// What follows the name, in the notation of manuals, where the operands do not say all of it; one text a form.
    var forms: [String] = []
    /// The options that it takes beside those of all commands.
    var options: [Option] = []
    /// What it does, in full; a text a paragraph.
    var description: [String] = []
    /// Lines that work, each with what it is for.
    var examples: [(line: String, purpose: String)] = []
    /// Reads a command line.
    let action: @Sendable (Invocation) throws(UsageError) -> any Action

    /// All of them, in the order of the help.
    static let all: [Command] = [
        list, get, watch, record, importing, exporting, set, doctor, help,
        status, release, reacquire, reload, mock,
        generate,
    ]

    /// Those that people are told of.
    static let listed = all.filter { $0.audience != .maintainer }

    /// The command of a name.
    static func named(_ name: String) throws(UsageError) -> Command {
        if let command = all.first(where: { $0.name == name }) { return command }
        let names = listed.map(\.name)
        throw UsageError("there is no command '\(name)': " + Nearest.advice(for: name, among: names))
    }

    /// The command lines that it takes, behind its name.
    var synopsis: [String] {
        guard forms.isEmpty else { return forms }
        return [(operands.map(\.text) + (options.isEmpty ? [] : ["[OPTION]..."])).joined(separator: " ")]
    }
}

/// What follows the name of a command.
struct Operand: Sendable {
    /// What it stands for.
    let name: String
    /// What a shell offers for it.
    let completion: Completion
    var isOptional = false
    var isRepeated = false
    /// Whether an interval may be written behind it.
    var takesInterval = false

    /// Its notation in a synopsis: `RESOURCE[@INTERVAL]...`.
    var text: String {
        let text = name + (takesInterval ? "[@INTERVAL]" : "") + (isRepeated ? "..." : "")
        return isOptional ? "[\(text)]" : text
    }
}

/// What a shell offers for an operand or for the value of an option.
enum Completion: Hashable, Sendable {
    case nothing
    case words([String])
    /// The names of the running broker's resources.
    case resources
    case files
    case resourcesAndFiles
    /// The names of the commands.
    case commands
}

/// Something that a command line can ask for.
protocol Action: Sendable {
    /// Does it.
    func run(_ broker: Broker, _ terminal: Terminal) throws(Failure)
}
