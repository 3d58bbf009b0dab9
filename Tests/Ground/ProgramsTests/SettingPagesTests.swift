import Configuration
import Testing

@testable import Programs

/// Settings of two sections with a key in common, and of one with names.
private struct Settings: ConfigurableSettings {
    var size = 1
    var other = 2
    var address: String?
    var isLoud = false

    static var table: SettingTable<Self> {
        let size = "How large it is. In `bytes`, see [size](size.md)."
        return SettingTable([
            SettingSection(
                "One", "The first.\n\nOf two.\n\n    a \\ b\n    .c\n\nAnd no more.",
                [
                    SettingKey("Size", \.size, .number(in: 0...9), size),
                    SettingKey(
                        "Address", \.address, SettingForm("a name", text: { $0 }) { $0 }, "Where it is.",
                        default: "nowhere", example: "here"),
                ]),
            SettingSection("Two", "The second.", [SettingKey("Size", \.other, .number(in: 0...9), size)]),
            SettingSection("Three", "The third.", [SettingKey("Loud", \.isLoud, .yesOrNo, "Whether it is loud.")]),
            SettingSection("Names", "Names.", examples: ["a=1"], entries: .init(list: { _ in [] }) { _, _ in }),
        ])
    }
}

@Suite("Pages about settings") struct SettingPagesTests {
    private let pages = SettingPages<Settings>()

    @Test("an example of a file has the default or an example of each setting, and explains it where it first occurs")
    func example() {
        #expect(
            pages.example(head: "A file.\n\n  run it") == """
                # A file.
                #
                #   run it

                # The first.
                [One]
                # How large it is
                #Size=1
                # Where it is
                #Address=here

                # The second.
                [Two]
                #Size=2

                # The third.
                [Three]
                # Whether it is loud
                #Loud=no

                # Names.
                [Names]
                #a=1

                """)
    }

    @Test("a manual has a section for each, with what differs from those above")
    func manual() {
        #expect(
            pages.manual == [
                ".Sh [ONE] SECTION", "The first.", ".Pp", "Of two.", ".Bd -literal -offset indent", "a \\e b", "\\&.c",
                ".Ed", ".Pp", "And no more.", ".Bl -tag -width Ds", ".It Li Size=", "How large it is.",
                "In \\fBbytes\\fR, see size.", "Values: \\fB0\\fR to \\fB9\\fR.", "Default: \\fB1\\fR.",
                ".It Li Address=", "Where it is.", "Values: a name.", "Default: nowhere.", ".El",
                ".Sh [TWO] SECTION", "The second.", ".Bl -tag -width Ds", ".It Li Size=", "As above.",
                "Default: \\fB2\\fR.", ".El",
                ".Sh [THREE] SECTION", "The third.", ".Bl -tag -width Ds", ".It Li Loud=", "Whether it is loud.",
                "Values: \\fByes\\fR or \\fBno\\fR.", "Default: \\fBno\\fR.", ".El",
                ".Sh [NAMES] SECTION", "Names.",
            ])
    }

    @Test("tables have a row for each setting, and one for each section that has no others")
    func markdown() {
        let lines = pages.markdown
        #expect(lines.contains("| `Size=` | How large it is. In `bytes`, see [size](size.md). | `0` to `9` | `1` |"))
        #expect(lines.contains("| `Address=` | Where it is. | a name | nowhere |"))
        #expect(lines.contains("| `[Two]` | The second. |") && lines.contains("    a \\ b"))
        #expect(lines.filter { $0.hasPrefix("### ") } == ["### `[One]`", "### `[Three]`", "### `[Names]`"])
    }

    @Test("what is typed literally and is not a link stays as it is")
    func prose() {
        #expect(
            Prose("As `[Server] Url=` and `a.b c` of [it](x.md). More.").firstSentence
                == "As [Server] Url= and a.b c of it")
        #expect(Prose("No end").firstSentence == "No end" && Prose("").firstSentence == "")
    }
}
