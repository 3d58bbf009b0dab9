/// A `Key=` of a configuration: its section, its values, what it sets, and what pages state of it.
///
/// Every key has an effect; planned ones are refused as unknown.
public struct SettingKey<Settings: ConfigurableSettings>: Sendable {
    /// Its section, which sets this.
    public internal(set) var section = ""
    /// Its name.
    public let name: String
    /// What it does: sentences, in a small part of Markdown.
    public let meaning: String
    /// Which values there are, for people.
    public let values: String
    /// What its default is, for people; nil: the value that it has.
    private let standard: String?
    /// A value to show; nil: the default.
    private let example: String?
    /// Parses a value and sets it; an empty one restores the default, as in systemd's own configuration.
    let set: @Sendable (String, inout Settings) throws(SettingRefusal) -> Void
    /// The value as in a file; empty if none is set.
    public let text: @Sendable (Settings) -> String

    /// A key for a part of the settings.
    ///
    /// `default` describes it if its value does not, and `example` is shown instead.
    public init<Value>(
        _ name: String, _ path: any WritableKeyPath<Settings, Value> & Sendable, _ form: SettingForm<Value>,
        _ meaning: String, default standard: String? = nil, example: String? = nil
    ) {
        self.name = name
        self.meaning = meaning
        values = form.words
        text = { form.text($0[keyPath: path]) }
        set = { (value, settings) throws(SettingRefusal) in
            settings[keyPath: path] = value.isEmpty ? Settings()[keyPath: path] : try form.parse(value)
        }
        self.standard = standard
        self.example = example
    }

    /// A key for a part of the settings that may have no value.
    public init<Value>(
        _ name: String, _ path: any WritableKeyPath<Settings, Value?> & Sendable, _ form: SettingForm<Value>,
        _ meaning: String, default standard: String, example: String
    ) {
        let optional = SettingForm<Value?>(form.words, text: { $0.map(form.text) ?? "" }) {
            (text) throws(SettingRefusal) in try form.parse(text)
        }
        self.init(name, path, optional, meaning, default: standard, example: example)
    }

    /// What its default is, for people.
    public func standard(_ defaults: Settings) -> String { standard ?? "`\(text(defaults))`" }

    /// A value to show.
    public func example(_ defaults: Settings) -> String { example ?? text(defaults) }

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
