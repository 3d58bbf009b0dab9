/// Something in a configuration file that cannot be used, and what to do about it.
public struct ConfigurationProblem: Equatable, Sendable, CustomStringConvertible {
    /// The file.
    public var file: String
    /// The line in it, from 1; nil where it concerns the whole file.
    public var line: Int?
    /// What is wrong, and how it should be.
    public var message: String

    /// A problem of a file, or of a line in it.
    public init(file: String, line: Int?, _ message: String) {
        self.file = file
        self.line = line
        self.message = message
    }

    /// `FILE:LINE: message`, as compilers write it.
    ///
    /// Names and words of files are in it: what could forge a line, or drive a terminal, is not.
    public var description: String {
        "\(file):\(line.map { "\($0):" } ?? "") \(message)".unicodeScalars.map { scalar in
            scalar.value < 0x20 || (0x7f..<0xa0).contains(scalar.value) ? "?" : String(scalar)
        }.joined()
    }

    /// The beginning of a word of a file, for a message.
    public static func excerpt(_ text: some StringProtocol, length: Int = 48) -> String {
        let start = text.unicodeScalars.prefix(length)
        return start.map { String($0) }.joined() + (start.endIndex < text.unicodeScalars.endIndex ? "…" : "")
    }
}
