internal import Printable

/// An error in a configuration file, and its remedy.
public struct ConfigurationProblem: Equatable, Sendable, CustomStringConvertible {
    /// The file.
    public var file: String
    /// The line, counted from 1; nil if the error concerns the whole file.
    public var line: Int?
    /// What is wrong, and what would be right.
    public var message: String

    /// Creates a problem with a file, or with a line in it.
    public init(file: String, line: Int?, _ message: String) {
        self.file = file
        self.line = line
        self.message = message
    }

    /// `FILE:LINE: message`, as compilers write it.
    ///
    /// Text from files is part of it, so characters that could forge a line or control a terminal are escaped.
    public var description: String { "\(file):\(line.map { "\($0):" } ?? "") \(message)".printable }

    /// The beginning of a foreign text, for a message.
    public static func excerpt(_ text: some StringProtocol, length: Int = 48) -> String {
        let start = text.unicodeScalars.prefix(length)
        return start.map { String($0) }.joined() + (start.endIndex < text.unicodeScalars.endIndex ? "…" : "")
    }
}

/// All errors of a configuration; there is at least one.
public struct ConfigurationErrors: Error, Equatable, Sendable {
    /// The first error.
    public let first: ConfigurationProblem
    /// The other errors, in the order in which the files are read.
    public let others: [ConfigurationProblem]

    /// All errors.
    public var all: [ConfigurationProblem] { [first] + others }

    /// Creates a list with one error.
    public init(_ problem: ConfigurationProblem) {
        first = problem
        others = []
    }

    /// The same errors, without lines of a text that no user wrote.
    public func withoutLines(of file: String) -> Self {
        var all = all
        for index in all.indices where all[index].file == file { all[index].line = nil }
        return Self(all) ?? self
    }

    /// Creates a list of errors; nil if there are none.
    public init?(_ problems: [ConfigurationProblem]) {
        guard let first = problems.first else { return nil }
        self.first = first
        others = Array(problems.dropFirst())
    }
}
