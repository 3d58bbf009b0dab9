internal import Configuration

/// A parsed command line: a command with its operands and options.
///
/// `--name value` and `--name=value` are the same. Options may stand anywhere; after `--` there are none.
struct Invocation {
    /// The command.
    let command: Command
    /// The words after its name.
    private(set) var operands: [String] = []
    /// The options with their values; an option without a value has an empty text.
    private(set) var options: [Option: String] = [:]

    /// Parses the words after the program's name.
    init(_ words: [String]) throws(UsageError) {
        var lexer = Lexer(words)
        try lexer.readAll()
        options = lexer.options
        if options[.version] != nil {
            command = .version
            return
        }
        guard let name = lexer.others.first else {
            guard options[.help] != nil else { throw UsageError("a command is missing; to list them: sensorctl help") }
            command = .help
            return
        }
        if options[.help] != nil {
            command = .help
            operands = [name]
            return
        }
        command = try Command.named(name)
        operands = Array(lexer.others.dropFirst())
        try checkOptions()
        try checkOperands()
    }

    /// How to get help for a command line with an error.
    static func helpLine(for words: [String]) -> String {
        let command = Command.listed.first { words.contains($0.name) }
        return command.map { "For its options and examples: sensorctl \($0.name) --help" }
            ?? "For all commands: sensorctl --help"
    }

    /// Whether an option is present.
    func has(_ option: Option) -> Bool { options[option] != nil }

    /// The output format.
    var format: OutputFormat { options[.format].flatMap { OutputFormat(rawValue: $0) } ?? .text }

    private func checkOptions() throws(UsageError) {
        for option in options.keys.sorted(by: { $0.name < $1.name }) {
            if !Option.common.contains(option), !command.options.contains(option) {
                let names = Command.listed.filter { $0.options.contains(option) }.map(\.name)
                let list = [names.dropLast().joined(separator: ", "), names.last ?? ""].filter { !$0.isEmpty }
                throw UsageError("\(option.text) is for \(list.joined(separator: " and ")) only")
            }
            if let other = option.excludes, options.keys.contains(where: { $0.name == other }) {
                throw UsageError("\(option.text) and --\(other) exclude each other: give one of them")
            }
            if option == .format, options[option] == MCAPWatch.formatName, command.name != "watch" {
                throw UsageError("--format mcap is for watch; of a recording, there is: sensorctl export FILE.mcap")
            }
            // Formats of readings are for commands that write some.
            let isPlain = option == .format && !command.writesReadings
            let choices = isPlain ? OutputFormat.allCases.map(\.rawValue) : option.value?.choices
            if let choices, let value = options[option], !choices.contains(value) {
                throw UsageError(
                    "\(option.text) does not take '\(value)': " + Nearest.advice(for: value, among: choices))
            }
        }
    }

    private func checkOperands() throws(UsageError) {
        let example = command.examples.first.map { ", as in: \($0.line)" } ?? ""
        let needed = command.operands.filter { !$0.isOptional }
        guard operands.count >= needed.count else {
            throw UsageError("\(command.name) needs \(needed.map(\.text).joined(separator: " "))\(example)")
        }
        guard command.operands.contains(where: \.isRepeated) || operands.count <= command.operands.count else {
            let known = command.operands.isEmpty ? "options only" : command.operands.map(\.name).joined(separator: " ")
            throw UsageError(
                "\(command.name) takes \(known), but there is also '\(operands[command.operands.count])'")
        }
    }
}

/// The words of a command line, sorted into options and others.
private struct Lexer {
    private(set) var options: [Option: String] = [:]
    private(set) var others: [String] = []
    private var rest: ArraySlice<String>

    init(_ words: [String]) { rest = words[...] }

    mutating func readAll() throws(UsageError) {
        while let word = rest.popFirst() {
            if word == "--" {
                others += rest
                return
            }
            if word.hasPrefix("-"), word.count > 1 { try add(word) } else { others.append(word) }
        }
    }

    private mutating func add(_ word: String) throws(UsageError) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { String($0) }
        let option = try known(parts[0])
        guard options[option] == nil else { throw UsageError("\(option.text) is given twice") }
        options[option] = try value(of: option, parts.count == 2 ? parts[1] : nil)
    }

    /// The option with this name; a wrong name is compared with the command's options, if the command is known.
    private func known(_ text: String) throws(UsageError) -> Option {
        let command = others.first.flatMap { name in Command.all.first { $0.name == name } }
        let near = Option.common + (command?.options ?? [])
        let all = near + Command.all.flatMap(\.options)
        if let option = all.first(where: { $0.text == text || $0.letter.map { "-" + $0 } == text }) { return option }
        let names = (command == nil ? all : near).map(\.text)
        let meant = text.count > 2 ? Nearest.one(for: text, among: names) : nil
        throw UsageError("unknown option \(text)" + (meant.map { ": did you mean \($0)?" } ?? ""))
    }

    private mutating func value(of option: Option, _ attached: String?) throws(UsageError) -> String {
        guard let expected = option.value else {
            guard attached == nil else { throw UsageError("\(option.text) takes no value") }
            return ""
        }
        guard let value = attached ?? rest.popFirst(), !value.isEmpty else {
            throw UsageError("\(option.text) needs a value: \(option.text) \(expected.name)")
        }
        return value
    }
}

/// Advice for an unknown word.
enum Nearest {
    /// The word that was probably meant; nil if none is similar enough.
    static func one(for word: String, among words: [String]) -> String? {
        Suggestion.nearest(to: word, among: words)
    }

    /// The word that was probably meant, or else all of them.
    static func advice(for word: String, among words: [String]) -> String {
        if let meant = one(for: word, among: words) { return "did you mean '\(meant)'?" }
        guard let last = words.last, words.count > 1 else { return "there is " + (words.first ?? "none") }
        return "there are " + words.dropLast().joined(separator: ", ") + " and " + last
    }
}
