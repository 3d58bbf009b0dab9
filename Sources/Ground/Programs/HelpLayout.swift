/// How the texts of a help are laid out.
public enum HelpLayout {
    private static let optionWidth = 24

    /// An option, with what it means beside or below it.
    public static func lines(of option: Option) -> [String] {
        let name = (option.letter.map { "-\($0), " } ?? "") + option.usage
        let text = option.summary + "." + (option.details.isEmpty ? "" : " " + option.details)
        return entry(name, text, width: optionWidth)
    }

    /// A name with an explanation beside it, or below it if the name is too long.
    public static func entry(_ name: String, _ text: String, width: Int) -> [String] {
        let lines = wrapped(plain(text), indent: width + 4)
        guard name.count <= width, let first = lines.first else { return ["  \(name)"] + lines }
        let padding = String(repeating: " ", count: width - name.count)
        return ["  \(name)\(padding)  \(first.dropFirst(width + 4))"] + lines.dropFirst()
    }

    /// A text without its marks.
    public static func plain(_ text: String) -> String { text.filter { $0 != "`" } }

    /// The words of a text in lines that fit a terminal.
    public static func wrapped(_ text: String, indent: Int = 0, columns: Int = 80) -> [String] {
        let margin = String(repeating: " ", count: indent)
        var lines: [String] = []
        var line = margin
        for word in text.split(separator: " ") {
            if line.count > indent, line.count + 1 + word.count > columns {
                lines.append(line)
                line = margin
            }
            line += (line.count > indent ? " " : "") + word
        }
        return lines + [line]
    }
}
