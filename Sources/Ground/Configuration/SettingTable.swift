/// Settings that files set: their defaults, and the table of their keys.
public protocol ConfigurableSettings: Equatable, Sendable {
    /// The defaults.
    init()
    /// All keys.
    static var table: SettingTable<Self> { get }
}

/// All keys of a configuration: the parser and `--check-config` follow this table.
public struct SettingTable<Settings: ConfigurableSettings>: Sendable {
    /// A section whose keys are not known before: names that users choose.
    public struct NamedEntries: Sendable {
        /// The section.
        let section: String
        /// Sets an entry.
        let set: @Sendable (ConfigurationSection.Entry, inout Settings) throws(SettingRefusal) -> Void
        /// The entries as in a file.
        let entries: @Sendable (Settings) -> [(key: String, value: String)]

        /// A section, and how its entries are set and written.
        public init(
            _ section: String, entries: @escaping @Sendable (Settings) -> [(key: String, value: String)],
            set: @escaping @Sendable (ConfigurationSection.Entry, inout Settings) throws(SettingRefusal) -> Void
        ) {
            self.section = section
            self.entries = entries
            self.set = set
        }
    }

    /// The keys, in the order of the documentation.
    public let keys: [SettingKey<Settings>]
    /// The section with names, if there is one.
    let named: NamedEntries?
    /// All sections, in the order of the documentation.
    public let sections: [String]

    /// A table; `named` stands before the section `before`.
    public init(_ keys: [SettingKey<Settings>], named: NamedEntries? = nil, before: String? = nil) {
        var sections = keys.map(\.section).reduce(into: [String]()) { sections, section in
            if sections.last != section { sections.append(section) }
        }
        if let named { sections.insert(named.section, at: before.flatMap(sections.firstIndex) ?? sections.count) }
        assert(Set(sections).count == sections.count, "the keys of a section are in one block")
        assert(Set(keys.map(\.title)).count == keys.count, "each key has one row")
        self.keys = keys
        self.named = named
        self.sections = sections
    }

    /// The differences between two settings, as lines of a log.
    public func changes(from former: Settings, to settings: Settings) -> [String] {
        keys.filter { $0.text(former) != $0.text(settings) }.map { $0.title + $0.text(settings) }
    }

    /// Sets what an entry of a section says; returns the title of its key.
    func take(
        _ entry: ConfigurationSection.Entry, of section: String, into settings: inout Settings
    ) throws(SettingRefusal) -> String {
        let title = "[\(section)] \(entry.key)="
        if let named, named.section == section {
            try blaming(entry, title) { () throws(SettingRefusal) in try named.set(entry, &settings) }
            return title
        }
        let keys = keys.filter { $0.section == section }
        guard let key = keys.first(where: { $0.name == entry.key }) else {
            let remedy = Suggestion.remedy(for: entry.key, among: keys.map(\.name)) { "\($0)=" }
            throw SettingRefusal("[\(section)] has no '\(ConfigurationProblem.excerpt(entry.key))=': \(remedy)")
        }
        try blaming(entry, title) { () throws(SettingRefusal) in try key.set(entry.value, &settings) }
        return title
    }

    private func blaming(
        _ entry: ConfigurationSection.Entry, _ title: String, _ set: () throws(SettingRefusal) -> Void
    ) throws(SettingRefusal) {
        do throws(SettingRefusal) { try set() } catch {
            let start = ConfigurationProblem.excerpt(title, length: 96)
            throw SettingRefusal("\(start)\(ConfigurationProblem.excerpt(entry.value)): \(error.words)")
        }
    }
}
