internal import Configuration
internal import Programs

/// A command of `sensorctl`, as the parser, the help, the manual and the completions know it.
///
/// Each command is declared in a file with its action. Backticks in texts mark what is typed literally.
struct Command: Sendable {
    /// The users whose help lists it.
    enum Audience: Sendable {
        case everybody
        case administrator
        /// Developers of this project; not listed.
        case maintainer
    }

    let name: String
    let summary: String
    /// Its users.
    var audience = Audience.everybody
    /// The operands in order.
    var operands: [Operand] = []
    /// The synopsis after the name, if it does not follow from the operands; a text for each form.
    var forms: [String] = []
    /// Its options, besides those of all commands.
    var options: [Option] = []
    /// What `--format` takes; nothing: what it writes has one format.
    var formats = OutputFormat.allCases.map(\.rawValue)
    /// The full description; a text for each paragraph.
    var description: [String] = []
    /// Working command lines, each with its purpose.
    var examples: [(line: String, purpose: String)] = []
    /// Parses a command line.
    let action: @Sendable (Invocation) throws(UsageError) -> any Action

    /// All commands, in the order of the help.
    static let all: [Command] = [
        list, get, watch, top, record, importing, exporting, plot, feed, fleet, set, doctor, metrics, help,
        status, calibrate, release, reacquire, disconnect, reload, mock,
        generate,
    ]

    /// The commands that are shown to users.
    static let listed = all.filter { $0.audience != .maintainer }

    /// The options of commands; of one that means several things each meaning, with the commands for which it has that.
    static let options: [(option: Option, commands: [String])] = {
        var all: [(option: Option, commands: [String])] = []
        for option in listed.flatMap(\.options) {
            func isSame(_ other: Option) -> Bool { other == option && other.summary == option.summary }
            guard !all.contains(where: { isSame($0.option) }) else { continue }
            all.append((option, listed.filter { $0.options.contains(where: isSame) }.map(\.name)))
        }
        return all
    }()

    static func named(_ name: String) throws(UsageError) -> Command {
        if let command = all.first(where: { $0.name == name }) { return command }
        let names = listed.map(\.name)
        throw UsageError("unknown command '\(name)': " + Suggestion.advice(for: name, among: names))
    }

    /// Whether its text is for people; that of `metrics` is for Prometheus.
    var isForPeople: Bool { name != "metrics" }

    /// Its command lines, after the name.
    var synopsis: [String] {
        guard forms.isEmpty else { return forms }
        return [(operands.map(\.text) + (options.isEmpty ? [] : ["[OPTION]..."])).joined(separator: " ")]
    }
}

struct Operand: Sendable {
    /// Its placeholder.
    let name: String
    /// What a shell completes it with.
    let completion: Completion
    var isOptional = false
    var isRepeated = false
    /// Whether an interval may follow it, and options for it alone.
    var takesInterval = false

    /// Whether it is a request: a resource with its interval and options.
    var isRequest: Bool { takesInterval || name.contains("@") }

    /// Its notation in a synopsis: `RESOURCE[@INTERVAL][,OPTION]...`.
    var text: String {
        let text =
            name + (takesInterval ? "[@INTERVAL]" : "") + (isRequest ? "[,OPTION]" : "") + (isRepeated ? "..." : "")
        return isOptional ? "[\(text)]" : text
    }
}

/// What a command line requests.
protocol Action: Sendable {
    /// Carries it out.
    func run(_ broker: Broker, _ terminal: Terminal) throws(Failure)
}
