/// Settings that files set: their defaults, and the table of their keys.
public protocol ConfigurableSettings: Equatable, Sendable {
    /// The defaults.
    init()
    /// All keys; it is made when it is asked for, since a program needs it only to read its configuration.
    static var table: SettingTable<Self> { get }
}

/// All keys of a configuration: the parser, `--check-config` and the pages about settings follow this table.
public struct SettingTable<Settings: ConfigurableSettings>: Sendable {
    /// All sections with names of their own, in the order of the documentation.
    public let sections: [SettingSection<Settings>]
    /// Sections of which there may be several, named by users.
    public let families: [SettingFamily<Settings>]
    /// All keys of sections with names of their own, in that order.
    public var keys: [SettingKey<Settings>] { sections.flatMap(\.keys) }

    /// A table.
    public init(_ sections: [SettingSection<Settings>], _ families: [SettingFamily<Settings>] = []) {
        self.sections = sections
        self.families = families
        assert(Set(sections.map(\.name)).count == sections.count, "each section occurs once")
        assert(Set(keys.map(\.title)).count == keys.count, "each key has one row")
    }

    /// All sections that settings have.
    public func sections(of settings: Settings) -> [SettingSection<Settings>] {
        sections + families.flatMap { $0.sections(of: settings) }
    }

    /// The section of a name, which is in the settings from now on; nil: there is none.
    func section(
        named name: String, in settings: inout Settings
    ) throws(SettingRefusal) -> SettingSection<Settings>? {
        for family in families { if let section = try family.section(named: name, in: &settings) { return section } }
        return sections.first { $0.name == name }
    }

    /// The differences between two settings, as lines of a log.
    public func changes(from former: Settings, to settings: Settings) -> [String] {
        let (before, now) = (sections(of: former), sections(of: settings))
        var (gone, changes) = (before.map(\.name), [String]())
        for section in now {
            if let place = gone.firstIndex(of: section.name) {
                gone.remove(at: place)
            } else {
                changes.append("[\(section.name)] is new")
            }
            let keys = section.keys.filter { $0.text(former) != $0.text(settings) }
            changes += keys.map { $0.title + $0.text(settings) }
        }
        return changes + gone.map { "[\($0)] is gone" }
    }
}
