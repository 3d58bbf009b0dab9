/// A text for people, written in a small part of Markdown: paragraphs with `literals` and [links](to), and indented blocks of literal lines.
struct Prose {
    private enum Part {
        case paragraph(String)
        case block([Substring])
    }

    private let parts: [Part]

    /// Empty lines separate the parts.
    init(_ text: String) {
        var parts: [Part] = []
        var lines: [Substring] = []
        for line in (text + "\n").split(separator: "\n", omittingEmptySubsequences: false) {
            guard line.isEmpty else {
                lines.append(line)
                continue
            }
            guard let first = lines.first else { continue }
            let isBlock = first.hasPrefix("    ")
            parts.append(isBlock ? .block(lines.map { $0.dropFirst(4) }) : .paragraph(lines.joined(separator: " ")))
            lines = []
        }
        self.parts = parts
    }

    /// As a cell of a table, in Markdown.
    var cell: String {
        parts.map { part in
            switch part {
            case .paragraph(let text): text
            case .block(let lines): "`\(lines.joined(separator: " "))`"
            }
        }.joined(separator: " ")
    }

    /// As lines of Markdown.
    var markdown: [String] {
        let blocks = parts.map { part in
            switch part {
            case .paragraph(let text): HelpLayout.wrapped(text, columns: 140)
            case .block(let lines): lines.map { "    \($0)" }
            }
        }
        return Array(blocks.joined(separator: [""]))
    }

    /// As lines of a manual page. mdoc(7)
    var manual: [String] {
        parts.enumerated().flatMap { index, part in
            switch part {
            case .paragraph(let text): (index > 0 ? [".Pp"] : []) + ManualText.sentences(Self.withoutLinks(text))
            case .block(let lines):
                [".Bd -literal -offset indent"] + lines.map { ManualText.line(ManualText.escaped(String($0))) } + [
                    ".Ed"
                ]
            }
        }
    }

    /// The first paragraph, without marks.
    var beginning: String {
        guard case .paragraph(let text) = parts.first else { return "" }
        return HelpLayout.plain(Self.withoutLinks(text))
    }

    /// The first sentence, without marks.
    var firstSentence: String {
        var text = beginning[...]
        while let stop = text.firstIndex(of: "."), let next = text.index(stop, offsetBy: 1, limitedBy: text.endIndex) {
            if next == text.endIndex || text[next] == " " { return String(beginning[..<stop]) }
            text = text[next...]
        }
        return beginning
    }

    /// A paragraph with the texts of links, and without what they link to.
    private static func withoutLinks(_ text: String) -> String {
        var result = ""
        var rest = text[...]
        while let open = rest.firstIndex(of: "[") {
            result += rest[..<open]
            rest = rest[open...]
            guard let close = rest.firstIndex(of: "]"), rest[rest.index(after: close)...].first == "(",
                let end = rest[close...].firstIndex(of: ")")
            else {
                result += "["
                rest = rest.dropFirst()
                continue
            }
            result += rest[rest.index(after: open)..<close]
            rest = rest[rest.index(after: end)...]
        }
        return result + rest
    }
}
