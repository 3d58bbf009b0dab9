public import Configuration

/// What files and pages state of settings, as it follows from their table.
///
/// A key that many sections have is explained where it first occurs; later there is only what differs.
public struct SettingPages<Settings: ConfigurableSettings>: Sendable {
    private typealias Key = SettingKey<Settings>

    /// A section, with each key and whether nothing has explained it before.
    private struct Section: Sendable {
        let section: SettingSection<Settings>
        /// Whether there are such sections only where users make them.
        let isExample: Bool
        let keys: [(key: Key, isNew: Bool)]

        var isNew: Bool { keys.isEmpty || keys.contains(where: \.isNew) }
    }

    private let defaults = Settings()
    private let sections: [Section]

    /// The pages of the table.
    public init() {
        var explained: Set<[String]> = []
        let table = Settings.table
        let all = table.sections.map { ($0, false) } + table.families.map { ($0.example, true) }
        sections = all.map { section, isExample in
            Section(
                section: section, isExample: isExample,
                keys: section.keys.map { ($0, explained.insert([$0.name, $0.meaning]).inserted) })
        }
    }

    /// A configuration file that shows every setting, and makes none.
    public func example(head: String) -> String {
        var lines = head.split(separator: "\n", omittingEmptySubsequences: false).map(Self.comment)
        for section in sections {
            let name = "\(section.isExample ? "#" : "")[\(section.section.name)]"
            lines += [""] + Self.comments(Prose(section.section.about).beginning) + [name]
            lines += section.section.examples.map { "#\($0)" }
            for (key, isNew) in section.keys {
                if isNew { lines += Self.comments(Prose(key.meaning).firstSentence) }
                lines.append("#\(key.name)=\(key.example(defaults))")
            }
        }
        return lines.map { $0 + "\n" }.joined()
    }

    private static func comment(_ line: some StringProtocol) -> String { line.isEmpty ? "#" : "# \(line)" }

    private static func comments(_ text: String) -> [String] { HelpLayout.wrapped(text, columns: 98).map(comment) }

    /// The sections of a manual page. mdoc(7)
    public var manual: [String] {
        sections.flatMap { section in
            var entries: [(names: [String], lines: [String])] = []
            for (key, isNew) in section.keys {
                let lines = explanation(of: key, isNew)
                if !isNew, let last = entries.last, last.lines == lines {
                    entries[entries.count - 1].names.append("\(key.name)=")
                } else {
                    entries.append((["\(key.name)="], lines))
                }
            }
            let list = entries.map { (".It Li \($0.names.joined(separator: " , "))", $0.lines) }
            return [".Sh [\(section.section.name.uppercased())] SECTION"] + Prose(section.section.about).manual
                + (list.isEmpty ? [] : ManualText.list(list))
        }
    }

    private func explanation(of key: Key, _ isNew: Bool) -> [String] {
        let standard = ManualText.sentences("Default: \(key.standard(defaults)).")
        guard !isNew else {
            return Prose(key.meaning).manual + ManualText.sentences("Values: \(key.values).") + standard
        }
        // Whoever looks up a section should not have to find the one before it that has the same default.
        let others = Set(
            sections.flatMap(\.keys).map(\.key).filter { $0.name == key.name }.map { $0.standard(defaults) })
        return ["As above."] + (others.count > 1 ? standard : [])
    }

    /// Tables in Markdown.
    public var markdown: [String] {
        var blocks: [[String]] = []
        var alike: [Section] = []
        for section in sections {
            if section.isNew {
                blocks += table(of: alike)
                alike = []
                blocks += [["### `[\(section.section.name)]`"], Prose(section.section.about).markdown]
                if !section.keys.isEmpty { blocks.append(table(of: section)) }
            } else {
                alike.append(section)
            }
        }
        blocks += table(of: alike)
        return Array(blocks.joined(separator: [""]))
    }

    private func table(of section: Section) -> [String] {
        Self.table(
            ["key", "meaning", "values", "default"],
            section.keys.map { key, isNew in
                let meaning = isNew ? Prose(key.meaning).cell : "As above."
                return ["`\(key.name)=`", meaning, key.values, key.standard(defaults)]
            })
    }

    /// Sections that differ in their defaults only, or lack some of the keys.
    private func table(of sections: [Section]) -> [[String]] {
        guard !sections.isEmpty else { return [] }
        var names: [String] = []
        for (key, _) in sections.flatMap(\.keys) where !names.contains(key.name) { names.append(key.name) }
        func cell(_ name: String, _ section: Section) -> String {
            section.keys.first { $0.key.name == name }?.key.standard(defaults) ?? "-"
        }
        let columns = names.filter { name in Set(sections.map { cell(name, $0) }).count > 1 }
        let head = ["section", "for"] + columns.map { "`\($0)=`" }
        let rows = sections.map { section in
            ["`[\(section.section.name)]`", Prose(section.section.about).cell] + columns.map { cell($0, section) }
        }
        let list = names.map { "`\($0)=`" }.joined(separator: ", ")
        let words =
            "Further sections have \(list) as above, with defaults of their own; \"-\" means that a section has no such key:"
        return [Prose(words).markdown, Self.table(head, rows)]
    }

    private static func table(_ head: [String], _ rows: [[String]]) -> [String] {
        ([head, head.map { _ in "---" }] + rows).map { "| \($0.joined(separator: " | ")) |" }
    }
}
