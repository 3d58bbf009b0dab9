import Testing

@testable import Configuration

@Suite("Sections of which there may be several") struct SettingFamilyTests {
    private struct Pens: ConfigurableSettings {
        var widths: [String: Int] = [:]

        subscript(name: String) -> Int {
            get { widths[name] ?? 1 }
            set { widths[name] = newValue }
        }

        static var table: SettingTable<Self> {
            SettingTable(
                [SettingSection("Paper", "Paper.", [])],
                [
                    SettingFamily(
                        "Pen", example: "red", names: { $0.widths.keys.sorted() },
                        add: { (name, pens) throws(SettingRefusal) in
                            guard !name.isEmpty, name != "invisible" else {
                                throw SettingRefusal("there is no such pen")
                            }
                            pens[name] = pens[name]
                        },
                        make: { section, name in
                            SettingSection(
                                section, "A pen.", [SettingKey("Width", \.[name], .number(in: 1...9), "Its width.")])
                        })
                ])
        }
    }

    private func configured(_ text: String) throws(ConfigurationErrors) -> Configured<Pens> {
        try Configured([("f", Array(text.utf8))])
    }

    @Test("have names that users choose, with keys of their own")
    func names() throws {
        let pens = try configured("[Pen red]\nWidth=3\n[Pen blue]\n[Pen red]\n")
        #expect(pens.settings.widths == ["red": 3, "blue": 1])
        #expect(pens.origins["[Pen red] Width="]?.line == 2)
    }

    @Test("can be read again as they are written")
    func text() throws {
        let pens = try configured("[Pen red]\nWidth=3\n[Pen blue]\n")
        let text = pens.text()
        #expect(text.contains("[Pen blue]\nWidth=1\n") && text.contains("[Pen red]\n# f:2\nWidth=3\n"))
        #expect(try configured(text).settings == pens.settings)
    }

    @Test("are refused with a remedy if there can be no such name")
    func refused() {
        for (text, words) in [
            ("[Pen invisible]", "no such pen"), ("[Pen ]", "no such pen"), ("[Pencil]\n", "Paper"),
            ("[Pen red]\nw=1", "Width="),
        ] {
            let errors = #expect(throws: ConfigurationErrors.self) { try configured(text) }
            #expect(errors?.first.message.contains(words) == true, "\(text): \(errors?.first.message ?? "")")
        }
    }

    @Test("come and go between two readings, and that is a change")
    func changes() throws {
        let (former, later) = (try configured("[Pen red]\nWidth=3\n"), try configured("[Pen blue]\nWidth=2\n"))
        let changes = Pens.table.changes(from: former.settings, to: later.settings)
        #expect(changes == ["[Pen blue] is new", "[Pen blue] Width=2", "[Pen red] is gone"])
        let plain = try configured("[Pen red]\nWidth=3\n[Pen blue]\n").settings
        #expect(Pens.table.changes(from: former.settings, to: plain) == ["[Pen blue] is new"])
        #expect(Pens.table.changes(from: plain, to: plain) == [])
    }
}
