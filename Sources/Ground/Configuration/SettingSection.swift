/// A section of a configuration, with its keys.
public struct SettingSection<Settings: ConfigurableSettings>: Sendable {
    /// Its name.
    public let name: String
    /// What it is about: paragraphs, in a small part of Markdown.
    ///
    /// The first one is shown in the example of a file as well.
    public let about: String
    /// Its keys, in the order of the documentation.
    public let keys: [SettingKey<Settings>]
    /// The keys of a section that are not known before: names that users choose.
    let entries: NamedEntries?
    /// Examples of such entries.
    public let examples: [String]

    /// How entries with names that users choose are set and written.
    public struct NamedEntries: Sendable {
        let set: @Sendable (ConfigurationSection.Entry, inout Settings) throws(SettingRefusal) -> Void
        let list: @Sendable (Settings) -> [(key: String, value: String)]

        /// The entries as in a file, and how one is set.
        public init(
            list: @escaping @Sendable (Settings) -> [(key: String, value: String)],
            set: @escaping @Sendable (ConfigurationSection.Entry, inout Settings) throws(SettingRefusal) -> Void
        ) {
            self.list = list
            self.set = set
        }
    }

    /// A section with keys.
    public init(_ name: String, _ about: String, _ keys: [SettingKey<Settings>]) {
        self.name = name
        self.about = about
        self.keys = keys.map { key in
            var key = key
            key.section = name
            return key
        }
        entries = nil
        examples = []
    }

    /// A section with names that users choose.
    public init(_ name: String, _ about: String, examples: [String], entries: NamedEntries) {
        self.name = name
        self.about = about
        self.entries = entries
        self.examples = examples
        keys = []
    }

    /// Sets what an entry has; returns the title of its key.
    func take(
        _ entry: ConfigurationSection.Entry, into settings: inout Settings
    ) throws(SettingRefusal) -> String {
        let title = "[\(name)] \(entry.key)="
        let key = keys.first { $0.name == entry.key }
        guard key != nil || entries != nil else {
            let remedy = Suggestion.remedy(for: entry.key, among: keys.map(\.name)) { "\($0)=" }
            throw SettingRefusal("[\(name)] has no '\(ConfigurationProblem.excerpt(entry.key))=': \(remedy)")
        }
        do throws(SettingRefusal) {
            try entries?.set(entry, &settings)
            try key?.set(entry.value, &settings)
        } catch {
            let start = ConfigurationProblem.excerpt(title, length: 96)
            throw SettingRefusal("\(start)\(ConfigurationProblem.excerpt(entry.value)): \(error.words)")
        }
        return title
    }
}
