/// Texts as lines of a manual page. mdoc(7)
public enum ManualText {
    /// A list of terms, each with its text.
    public static func tagged(_ entries: [(head: String, text: String)]) -> [String] {
        list(entries.map { ($0.head, sentences($0.text)) })
    }

    /// A list of terms, each with lines.
    static func list(_ entries: [(head: String, lines: [String])]) -> [String] {
        [".Bl -tag -width Ds"] + entries.flatMap { [$0.head] + $0.lines } + [".El"]
    }

    /// A text with one sentence per line, as mdoc requires, and literal text in bold.
    public static func sentences(_ text: String) -> [String] {
        var isLiteral = false
        var lines = [""]
        var before: Character = " "
        for character in text {
            if character == "`" {
                isLiteral.toggle()
                lines[lines.count - 1] += isLiteral ? "\\fB" : "\\fR"
            } else if character == " ", before == ".", !isLiteral {
                lines.append("")
            } else {
                lines[lines.count - 1] += character == "-" && isLiteral ? "\\-" : escaped(String(character))
            }
            before = character
        }
        return lines.map(line)
    }

    /// A line that is no macro.
    static func line(_ text: String) -> String { text.hasPrefix(".") || text.hasPrefix("'") ? "\\&" + text : text }

    /// A text without escape sequences.
    public static func escaped(_ text: String) -> String { text.map { $0 == "\\" ? "\\e" : String($0) }.joined() }
}
