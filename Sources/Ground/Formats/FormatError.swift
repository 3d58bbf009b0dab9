internal import Printable

/// An error in the contents of a file.
public struct FormatError: Error, Equatable, CustomStringConvertible {
    /// The line, counted from 1; nil if the error concerns the whole file.
    public let line: Int?
    /// What is wrong and, if there is a remedy, what to write.
    public let words: String

    /// Creates an error in a line, or in the whole file.
    public init(line: Int? = nil, _ words: String) {
        self.line = line
        self.words = words
    }

    /// As text: `line 3: …`.
    public var description: String { line.map { "line \($0): \(words)" } ?? words }
}

extension String {
    /// A part of a foreign text for a message: printable and short.
    package var excerpt: String { printable(atMost: 60) }
}
