/// Why bytes are not what they are read as.
public struct FormatError: Error, Equatable, CustomStringConvertible {
    /// The line, counted from 1; nil where it is about the whole.
    public let line: Int?
    /// What is wrong and, where there is a remedy, what to write.
    public let words: String

    /// An error of a line, or of the whole.
    public init(line: Int? = nil, _ words: String) {
        self.line = line
        self.words = words
    }

    /// For people: `line 3: …`.
    public var description: String { line.map { "line \($0): \(words)" } ?? words }
}

extension String {
    /// Somebody else's text as part of a message: printable, and not long.
    var excerpt: String {
        let text = String(
            String.UnicodeScalarView(unicodeScalars.prefix(60).filter { $0.value >= 32 && $0.value != 127 }))
        return unicodeScalars.count > 60 ? text + "…" : text
    }
}
