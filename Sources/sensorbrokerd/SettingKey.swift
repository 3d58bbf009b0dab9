/// One `Key=` of the configuration file: where it stands, what it takes, and what it sets.
///
/// Nothing is a key that has no effect: what is only planned is refused as unknown.
struct SettingKey: Sendable {
    /// The section in which it stands.
    let section: String
    /// What stands before the `=`.
    let name: String
    /// Sets what a text says.
    let set: @Sendable (String, inout Settings) throws(SettingRefusal) -> Void
    /// What is set, as it would be written in a file; empty where nothing is.
    let text: @Sendable (Settings) -> String

    /// A key for a part of the settings.
    ///
    /// An empty value takes back what files before have set, as in systemd's own.
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

    /// The sections in which there are keys.
    static let sections = all.map(\.section).reduce(into: [String]()) { sections, section in
        if sections.last != section { sections.append(section) }
    }

    /// What differs between two settings, as lines of a log.
    static func changes(from former: Settings, to settings: Settings) -> [String] {
        all.filter { $0.text(former) != $0.text(settings) }.map { $0.title + $0.text(settings) }
    }
}
