import Configuration
import Glibc
import Programs
import TestTools
import Testing

/// Settings with a section of keys, and one of names.
private struct Settings: ConfigurableSettings {
    var size = 1
    var names: [String] = []

    static var table: SettingTable<Self> {
        SettingTable([
            SettingSection(
                "Spool", "The spool.", [SettingKey("Size", \.size, .number(in: 0...100), "How large it is. In bytes.")]),
            SettingSection(
                "Names", "Names.\n\n    a=1\n", examples: ["a=1"],
                entries: .init(list: { $0.names.map { ($0, "1") } }) { (entry, settings) throws(SettingRefusal) in
                    guard entry.value == "1" else { throw SettingRefusal("write 1") }
                    settings.names.append(entry.key)
                }),
        ])
    }
}

@Suite("Files of settings") struct ConfigurationFilesTests {
    private func read(_ files: ConfigurationFiles) throws(ConfigurationErrors) -> Configured<Settings> {
        let (files, problems) = files.contents()
        return try Configured(files, problems)
    }

    @Test("the named file is read, then its drop-ins in the order of their names")
    func order() throws {
        let directory = try TemporaryDirectory()
        let path = directory.write("[Spool]\nSize=2\n[Names]\nb=1\na=1\n", to: "fleet.conf")
        directory.write("[Spool]\nSize=10\n", to: "fleet.conf.d/10-slow.conf")
        directory.write("[Spool]\nSize=20\n", to: "fleet.conf.d/20-slower.conf")
        directory.write("[Spool]\nSize=30\n", to: "fleet.conf.d/30-ignored.txt")
        let configured = try read(ConfigurationFiles(named: path, usual: []))
        #expect(configured.settings == Settings(size: 20, names: ["b", "a"]))
        #expect(
            configured.text().hasSuffix(
                "\n[Spool]\n# \(path).d/20-slower.conf:2\nSize=20\n\n[Names]\n# \(path):4\nb=1\n# \(path):5\na=1\n"))
        let again = directory.write(configured.text(), to: "again.conf")
        #expect(try read(ConfigurationFiles(named: again, usual: [])).settings == configured.settings)
        #expect(configured.text(overridden: Settings()).contains("# from the command line\nSize=1\n"))
    }

    @Test("of the usual files the first one counts, and none need be there")
    func usual() throws {
        let directory = try TemporaryDirectory()
        let files = ConfigurationFiles(named: nil, usual: ["a.conf", "b.conf"].map { "\(directory.path)/\($0)" })
        #expect(try read(files).settings == Settings())
        directory.write("[Spool]\nSize=3\n", to: "b.conf")
        #expect(try read(files).settings.size == 3)
        directory.write("[Spool]\nSize=4\n", to: "a.conf")
        #expect(try read(files).settings.size == 4)
    }

    @Test("a named file that is not there, and one that cannot be read, are errors with a remedy")
    func missing() throws {
        let directory = try TemporaryDirectory()
        let none = ConfigurationFiles(named: "\(directory.path)/none", usual: [])
        #expect(throws: ConfigurationErrors.self) { try read(none) }
        unsafe mkdir("\(directory.path)/folder", 0o700)
        let folder = ConfigurationFiles(named: "\(directory.path)/folder", usual: [])
        let errors = #expect(throws: ConfigurationErrors.self) { try read(folder) }
        #expect(errors?.first.description.contains("make it a plain file") == true)
    }

    @Test("a file where the drop-ins should be is an error, and a link to /dev/null is not")
    func noDirectory() throws {
        let directory = try TemporaryDirectory()
        let path = directory.write("[Spool]\nSize=2\n", to: "fleet.conf")
        let dropIns = directory.write("[Spool]\nSize=3\n", to: "fleet.conf.d")
        let files = ConfigurationFiles(named: path, usual: [])
        let errors = #expect(throws: ConfigurationErrors.self) { try read(files) }
        let words = errors?.all.map(\.description).joined()
        #expect(words?.hasPrefix("\(dropIns): cannot be read (Not a directory): make it a directory") == true)
        unsafe unlink(dropIns)
        unsafe symlink("/dev/null", dropIns)
        #expect(try read(files).settings.size == 2)
    }

    @Test("a link that leads nowhere is an error: a file, a drop-in and the directory of drop-ins")
    func dangling() throws {
        let directory = try TemporaryDirectory()
        let path = directory.write("[Spool]\nSize=2\n", to: "fleet.conf")
        let files = ConfigurationFiles(named: nil, usual: ["\(directory.path)/etc.conf", path])
        directory.write("[Spool]\nSize=3\n", to: "fleet.conf.d/1.conf")
        for link in ["etc.conf", "fleet.conf.d/2.conf", "etc.conf.d"].map({ "\(directory.path)/\($0)" }) {
            unsafe symlink("/mnt/site.conf", link)
            let errors = #expect(throws: ConfigurationErrors.self) { try read(files) }
            let words = errors?.all.map(\.description).joined()
            #expect(words?.hasPrefix("\(link): leads to /mnt/site.conf, which is not there: make it") == true)
            unsafe unlink(link)
        }
        #expect(try read(files).settings.size == 3)
    }

    @Test("all errors of all files are reported, each with its file, line and remedy")
    func errors() throws {
        let directory = try TemporaryDirectory()
        let path = directory.write("[Spool]\nSiz=1\n[Spol]\n[Names]\nx=2\n", to: "fleet.conf")
        directory.write("[Spool]\nSize=often\n", to: "fleet.conf.d/1.conf")
        let errors = #expect(throws: ConfigurationErrors.self) {
            try read(ConfigurationFiles(named: path, usual: []))
        }
        #expect(
            errors?.all.map(\.description) == [
                "\(path):2: [Spool] has no 'Siz=': did you mean Size=?",
                "\(path):3: there is no section [Spol]: did you mean [Spool]?",
                "\(path):5: [Names] x=2: write 1",
                "\(path).d/1.conf:2: [Spool] Size=often: write a number from 0 to 100",
            ])
        let hidden = errors?.withoutLines(of: path).all.map(\.line)
        #expect(hidden == [nil, nil, nil, 2])
    }
}
