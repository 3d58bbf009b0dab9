/// The options of a program, and what each sets: the parser and the help follow this table.
public struct OptionTable<Arguments>: Sendable {
    /// An option, and what it sets.
    public struct Row: Sendable {
        /// The option.
        public let option: Option
        fileprivate let apply: @Sendable (String, inout Arguments) throws(UsageError) -> Void

        /// An option; `apply` is given its value.
        public init(
            _ option: Option, apply: @escaping @Sendable (String, inout Arguments) throws(UsageError) -> Void
        ) {
            self.option = option
            self.apply = apply
        }

        /// An option whose value is set as it is.
        public init(_ option: Option, _ path: any WritableKeyPath<Arguments, String?> & Sendable) {
            self.init(option) { $1[keyPath: path] = $0 }
        }
    }

    /// The rows, in the order of the help.
    public let rows: [Row]

    /// A table, in which no name occurs twice.
    public init(_ rows: [Row]) {
        assert(Set(rows.map(\.option)).count == rows.count, "each option has one row")
        self.rows = rows
    }

    /// Applies the options of a command line in their order; returns its words.
    public func read(_ words: [String], into arguments: inout Arguments) throws(UsageError) -> CommandWords {
        let options = rows.map(\.option)
        let read = try CommandWords(words) { _ in (options, options) }
        for (option, value) in read.options {
            if let choices = option.value?.choices, !choices.contains(value) {
                throw UsageError("\(option.text) does not take '\(value)': write \(choices.joined(separator: " or "))")
            }
            try rows.first { $0.option == option }?.apply(value, &arguments)
        }
        return read
    }

    /// The same for a program that takes nothing but options.
    public func readOptions(_ words: [String], into arguments: inout Arguments) throws(UsageError) -> CommandWords {
        let read = try read(words, into: &arguments)
        if let word = read.others.first { throw UsageError("unknown argument '\(word)'") }
        return read
    }

    /// The options with what they mean, for the help.
    public var help: String { rows.flatMap { HelpLayout.lines(of: $0.option) }.map { $0 + "\n" }.joined() }
}
