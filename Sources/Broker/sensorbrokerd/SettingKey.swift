/// A `Key=` of the configuration file: its section, its values, and what it sets.
///
/// Every key has an effect; planned ones are refused as unknown.
struct SettingKey: Sendable {
    /// Its section.
    let section: String
    /// Its name.
    let name: String
    /// Parses a value and sets it.
    let set: @Sendable (String, inout Settings) throws(SettingRefusal) -> Void
    /// The value as in a file; empty if none is set.
    let text: @Sendable (Settings) -> String

    /// Creates a key for a part of the settings.
    ///
    /// An empty value restores the default, as in systemd's own configuration.
    init<Value: Sendable>(
        _ section: String, _ name: String, _ path: any WritableKeyPath<Settings, Value> & Sendable,
        text: @escaping @Sendable (Value) -> String,
        parse: @escaping @Sendable (String) throws(SettingRefusal) -> Value
    ) {
        self.section = section
        self.name = name
        self.text = { text($0[keyPath: path]) }
        set = { (value, settings) throws(SettingRefusal) in
            settings[keyPath: path] = value.isEmpty ? Settings()[keyPath: path] : try parse(value)
        }
    }

    /// Its name with its section, for messages: `[Location] Gpsd=`.
    var title: String { "[\(section)] \(name)=" }

    /// All sections that have keys.
    static let sections = all.map(\.section).reduce(into: [String]()) { sections, section in
        if sections.last != section { sections.append(section) }
    }

    /// The differences between two settings, as lines of a log.
    static func changes(from former: Settings, to settings: Settings) -> [String] {
        all.filter { $0.text(former) != $0.text(settings) }.map { $0.title + $0.text(settings) }
    }
}

/// Why a value is invalid, with a remedy.
struct SettingRefusal: Error, Equatable {
    let words: String

    init(_ words: String) { self.words = words }
}
