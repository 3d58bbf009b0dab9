/// The text of a configuration file, in the format of systemd's own: `systemd.syntax(7)`.
///
/// It has `[Section]` headers and `Key=value` lines. Lines that begin with `#` or `;` are comments, also between
/// continued lines; a comment cannot follow a value. A `\` at the end of a line continues it, as if there were a space.
///
/// No library fits: of those in Debian, libinih 55 reports no line numbers, cuts lines at 200 bytes and takes indented
/// lines for continuations; libeconf 0.5 stops at the first error, reports the line after it, and knows no
/// continuation. Both cut a value at `;`, which separates the rows of a mount matrix. systemd's own parser is not
/// exported.
public struct ConfigurationText: Equatable, Sendable {
    /// The largest file that is read.
    public static let maximumBytes = 256 * 1_024
    /// After this many errors, the rest of a file is not read.
    static let maximumProblems = 50

    /// The sections in order; one that is reopened occurs twice.
    public private(set) var sections: [ConfigurationSection] = []
    /// The errors.
    public private(set) var problems: [ConfigurationProblem] = []

    private let file: String
    private var isSkipping = false

    /// Parses a file; the name is used in errors.
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
            // Two backslashes mean one, and no continuation.
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
            return complain(line, "this is not text: a configuration file is written in UTF-8")
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
            // The entries of an unknown section are skipped, since one error is enough.
            isSkipping = true
            return complain(
                line, "'\(ConfigurationProblem.excerpt(text))' is not a section: write [Section] on a line of its own")
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

/// A section of a configuration file.
public struct ConfigurationSection: Equatable, Sendable {
    /// One assignment.
    public struct Entry: Equatable, Sendable {
        /// The text before the `=`.
        public var key: String
        /// The text after the `=`, trimmed; may be empty.
        public var value: String
        /// The line where it begins, counted from 1.
        public var line: Int
    }

    /// The name between the brackets.
    public var name: String
    /// The line of its header, counted from 1.
    public var line: Int
    /// The assignments in order.
    public var entries: [Entry] = []
}

/// The drop-in files beside a configuration file, and the order in which they are read, as in systemd.
///
/// If several directories have a file with the same name, only that in the first directory is read: an administrator's
/// file replaces a distribution's. An empty file, or a link to /dev/null, thus masks the others. The files are sorted
/// by name, whatever their directory: later ones override earlier ones.
public enum DropIns {
    /// The paths to read, in order, given the file names in each directory; the first directory has priority.
    public static func paths(_ directories: [(path: String, names: [String])]) -> [String] {
        var strongest: [String: String] = [:]
        for (path, names) in directories {
            for name in names where isDropIn(name) && strongest[name] == nil { strongest[name] = "\(path)/\(name)" }
        }
        return strongest.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map(\.value)
    }

    private static func isDropIn(_ name: String) -> Bool { name.hasSuffix(".conf") && !name.hasPrefix(".") }
}
