/// The text of a configuration file, read as systemd reads its own: `systemd.syntax(7)`.
///
/// `[Section]` headers and `Key=value` lines. Lines that begin with `#` or `;` are comments, also between continued
/// lines; a comment cannot follow a value. A `\` at the end of a line continues it, as if a space stood there.
///
/// Why no library reads it: of those that Debian has, libinih 55 tells its caller no line numbers, cuts lines at 200 bytes
/// and takes indented lines for continued ones; libeconf 0.5 stops at the first error, names the line after it, and knows
/// no continuation. Both cut a value at `;`, which stands between the rows of a mount matrix. systemd's is not exported.
public struct ConfigurationText: Equatable, Sendable {
    /// What a file may hold; more is no configuration.
    public static let maximumBytes = 256 * 1_024
    /// After so many errors in one file, the rest of it is not looked at.
    static let maximumProblems = 50

    /// The sections, in order; one that is opened again is there twice.
    public private(set) var sections: [ConfigurationSection] = []
    /// The lines that mean nothing.
    public private(set) var problems: [ConfigurationProblem] = []

    private let file: String
    private var isSkipping = false

    /// Reads all lines of a file; what it says of errors names the file.
    public init(_ bytes: [UInt8], file: String) {
        self.file = file
        let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let text = bytes.starts(with: byteOrderMark) ? bytes.dropFirst(3) : bytes[...]
        var pending: (text: [UInt8], line: Int)?
        for (index, line) in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
            guard problems.count < Self.maximumProblems else {
                problems.append(
                    ConfigurationProblem(file: file, line: index + 1, "too many errors; is this a configuration file?"))
                return
            }
            let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
            let start = line.drop(while: Self.isSpace)
            if start.first == UInt8(ascii: "#") || start.first == UInt8(ascii: ";") { continue }
            var whole = pending ?? ([], index + 1)
            pending = nil
            whole.text += line
            // Two backslashes are one, and no continuation.
            let backslashes = line.reversed().prefix { $0 == UInt8(ascii: "\\") }.count
            if backslashes % 2 == 1 {
                whole.text[whole.text.count - 1] = UInt8(ascii: " ")
                pending = whole
            } else {
                take(whole.text, line: whole.line)
            }
        }
        if let pending { take(pending.text, line: pending.line) }
    }

    private mutating func take(_ bytes: [UInt8], line: Int) {
        let trimmed = Self.trimmed(bytes[...])
        guard let first = trimmed.first else { return }
        guard let text = String(validating: trimmed, as: UTF8.self), !trimmed.contains(0) else {
            return complain(line, "this is no text: a configuration file is written in UTF-8")
        }
        if first == UInt8(ascii: "[") { return open(text, line) }
        guard let equals = trimmed.firstIndex(of: UInt8(ascii: "=")) else {
            return complain(
                line, "no '=' in '\(ConfigurationProblem.excerpt(text))': write Key=value, or # before a comment")
        }
        guard !sections.isEmpty || isSkipping else {
            return complain(line, "a setting before any section: write [Section] above it")
        }
        guard !isSkipping else { return }
        let key = String(decoding: Self.trimmed(trimmed[..<equals]), as: UTF8.self)
        guard !key.isEmpty else { return complain(line, "nothing stands before '=': write Key=value") }
        let value = String(decoding: Self.trimmed(trimmed[(equals + 1)...]), as: UTF8.self)
        sections[sections.count - 1].entries.append(.init(key: key, value: value, line: line))
    }

    private mutating func open(_ text: String, _ line: Int) {
        let name = text.dropFirst().dropLast()
        guard text.hasSuffix("]"), !name.isEmpty, !name.contains("["), !name.contains("]") else {
            // What follows belongs to a section, if not to a known one: one error is enough.
            isSkipping = true
            return complain(
                line, "'\(ConfigurationProblem.excerpt(text))' is no section: write [Section] on a line of its own")
        }
        isSkipping = false
        sections.append(ConfigurationSection(name: String(name), line: line))
    }

    private mutating func complain(_ line: Int, _ message: String) {
        problems.append(ConfigurationProblem(file: file, line: line, message))
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let start = bytes.drop(while: isSpace)
        return start.dropLast(start.reversed().prefix(while: isSpace).count)
    }
}
