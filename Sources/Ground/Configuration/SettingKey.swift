/// A `Key=` of a configuration: its section, its values, and what it sets.
///
/// Every key has an effect; planned ones are refused as unknown.
public struct SettingKey<Settings: ConfigurableSettings>: Sendable {
    /// Its section.
    public let section: String
    /// Its name.
    public let name: String
    /// Parses a value and sets it; an empty one restores the default, as in systemd's own configuration.
    let set: @Sendable (String, inout Settings) throws(SettingRefusal) -> Void
    /// The value as in a file; empty if none is set.
    public let text: @Sendable (Settings) -> String

    /// A key for a part of the settings.
    public init<Value: Sendable>(
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
    public var title: String { "[\(section)] \(name)=" }
}

/// Why a value is invalid, with a remedy.
public struct SettingRefusal: Error, Equatable, Sendable {
    /// The words for the user.
    public let words: String

    /// A refusal in words.
    public init(_ words: String) { self.words = words }
}
