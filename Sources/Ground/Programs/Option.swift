/// An option of a command line, declared once for the parser, the help, the manual and the completions.
///
/// To the parser, options of one name are the same: one with different meanings in two commands is declared twice. Backticks in texts mark
/// what is typed literally.
public struct Option: Hashable, Sendable {
    /// The value of an option.
    public struct Value: Hashable, Sendable {
        /// Which words are the value.
        public enum Form: Sendable {
            /// `--name VALUE`, or `--name=VALUE`.
            case word
            /// `--name=VALUE`, or `--name` without one.
            case optional
            /// `--name`, and then all words to the end of the line.
            case rest
        }

        /// The value's placeholder in texts.
        public let name: String
        /// What a shell completes it with.
        public let completion: Completion
        /// Which words are the value.
        public let form: Form
        /// The allowed words; nil if any text is allowed.
        public let choices: [String]?

        /// A value with a placeholder.
        public init(_ name: String, _ completion: Completion = .nothing, form: Form = .word) {
            self.name = name
            self.completion = completion
            self.form = form
            choices = nil
        }

        /// A value that is one of these words.
        public init(oneOf choices: [String]) {
            name = choices.joined(separator: "|")
            completion = .words(choices)
            form = .word
            self.choices = choices
        }

        /// A time, or a rate.
        public static let interval = Self("INTERVAL")
        /// A time.
        public static let time = Self("TIME")
        /// The path of a file.
        public static let file = Self("FILE", .files)
    }

    /// The option's name, without the dashes.
    public let name: String
    /// A single letter with the same meaning.
    public let letter: String?
    /// The option's value; nil: it takes none.
    public let value: Value?
    /// What the option does, in a line.
    public let summary: String
    /// Further explanation.
    public let details: String
    /// The name of another option that excludes this one.
    public let excludes: String?

    /// An option with what it means.
    public init(
        _ name: String, letter: String? = nil, takes value: Value? = nil, _ summary: String, _ details: String = "",
        excludes: String? = nil
    ) {
        assert(!name.isEmpty && !summary.isEmpty && !summary.hasSuffix("."), "--\(name) is described in a line")
        self.name = name
        self.letter = letter
        self.value = value
        self.summary = summary
        self.details = details
        self.excludes = excludes
    }

    /// The option as it is typed.
    public var text: String { "--" + name }
    /// The same, and its letter if it has one.
    public var spellings: [String] { [text] + (letter.map { ["-" + $0] } ?? []) }

    /// The option with its value: `--name VALUE`.
    public var usage: String {
        switch value?.form {
        case nil: text
        case .word: "\(text) \(value?.name ?? "")"
        case .optional: "\(text)[=\(value?.name ?? "")]"
        case .rest: "\(text) \(value?.name ?? "")..."
        }
    }

    /// Whether two are of one name.
    public static func == (first: Self, second: Self) -> Bool { first.name == second.name }
    /// By the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }

    /// Prints the help.
    public static let help = Self("help", letter: "h", "Print this help")
    /// Prints the version.
    public static let version = Self("version", "Print the version")
}

/// What a shell completes an operand or an option's value with.
public enum Completion: Hashable, Sendable {
    /// Any text.
    case nothing
    /// Some words.
    case words([String])
    /// The names of the running broker's resources.
    case resources
    /// Paths of files.
    case files
    /// Both of these.
    case resourcesAndFiles
    /// The names of the commands.
    case commands
}
