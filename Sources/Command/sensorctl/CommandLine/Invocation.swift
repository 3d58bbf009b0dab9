internal import Configuration
internal import Programs

/// A parsed command line: a command with its operands and options.
struct Invocation {
    let command: Command
    /// The words after its name.
    private(set) var operands: [String] = []
    /// The options with their values; an option without a value has an empty text.
    private(set) var options: [Option: String] = [:]

    /// Parses the words after the program's name.
    init(_ words: [String]) throws(UsageError) {
        let read = try CommandWords(words) { Self.known(after: $0) }
        for (option, value) in read.options {
            guard options.updateValue(value, forKey: option) == nil else {
                throw UsageError("\(option.text) is given twice")
            }
        }
        if options[.version] != nil {
            command = .version
            return
        }
        guard let name = read.others.first else {
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
        operands = Array(read.others.dropFirst())
        try checkOptions()
        try checkOperands()
    }

    /// All options; a wrong name is compared with those of the command, if that is known.
    private static func known(after name: String?) -> (options: [Option], near: [Option]) {
        let command = Command.all.first { $0.name == name }
        let near = Option.common + (command?.options ?? [])
        let all = near + Command.all.flatMap(\.options)
        return (all, command == nil ? all : near)
    }

    /// How to get help for a command line with an error.
    static func helpLine(for words: [String]) -> String {
        let command = Command.listed.first { words.contains($0.name) }
        return command.map { "For its options and examples: sensorctl \($0.name) --help" }
            ?? "For all commands: sensorctl --help"
    }

    /// Whether an option is present.
    func has(_ option: Option) -> Bool { options[option] != nil }

    /// The value of an option, as `read` understands it; nil: it is not present.
    func value<Value>(
        _ option: Option, _ read: (String) throws(UsageError) -> Value
    ) throws(UsageError) -> Value? {
        guard let text = options[option] else { return nil }
        return try read(text)
    }

    /// The time of an option that needs more than 0, in nanoseconds.
    func time(_ option: Option) throws(UsageError) -> Int64? {
        let nanoseconds = try value(option, TimeWords.nanoseconds)
        if nanoseconds == 0 { throw UsageError("\(option.text) needs more than 0, such as 10s") }
        return nanoseconds
    }

    var format: OutputFormat { options[.format].flatMap { OutputFormat(rawValue: $0) } ?? .text }

    /// The same for a command that writes readings.
    var readingFormat: ReadingFormat { options[.format].flatMap { ReadingFormat(rawValue: $0) } ?? .text }

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
            if option == .format, readingFormat == .mcap, command.name != "watch" {
                throw UsageError("--format mcap is for watch; of a recording, there is: sensorctl export FILE.mcap")
            }
            if option == .format, command.formats.isEmpty {
                let remedy = command.options.contains(.to) ? "there is --to" : "leave it out"
                throw UsageError("--format is not for \(command.name): \(remedy)")
            }
            let choices = option == .format ? command.formats : option.value?.choices
            if let choices, let value = options[option], !choices.contains(value) {
                throw UsageError(
                    "\(option.text) does not take '\(value)': " + Suggestion.advice(for: value, among: choices))
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
