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
    public var description: String { "\(file):\(line.map { "\($0):" } ?? "") \(message)" }

    /// Words of a file for a message: short, and without what could forge a line of it.
    public static func excerpt(_ text: some StringProtocol) -> String {
        let clean = text.unicodeScalars.prefix(48).map { scalar in
            scalar.value < 0x20 || (0x7f..<0xa0).contains(scalar.value) ? "?" : String(scalar)
        }
        return clean.joined() + (clean.count < text.unicodeScalars.count ? "…" : "")
    }
}
