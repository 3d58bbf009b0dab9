/// Sections of a configuration of which there may be several, each with a name that users choose: `[Feed NAME]`.
public struct SettingFamily<Settings: ConfigurableSettings>: Sendable {
    /// The word before the name.
    let word: String
    /// The names that settings have, in order.
    private let names: @Sendable (Settings) -> [String]
    /// Puts a name into the settings, with defaults; throws if there can be no such name.
    private let add: @Sendable (String, inout Settings) throws(SettingRefusal) -> Void
    private let make: @Sendable (String) -> SettingSection<Settings>
    /// A section that pages show.
    public let example: SettingSection<Settings>

    /// Sections with a word and a name each; `make` returns that of a name that `add` has accepted.
    public init(
        _ word: String, example: String, names: @escaping @Sendable (Settings) -> [String],
        add: @escaping @Sendable (String, inout Settings) throws(SettingRefusal) -> Void,
        make: @escaping @Sendable (_ section: String, _ name: String) -> SettingSection<Settings>
    ) {
        self.word = word
        self.names = names
        self.add = add
        self.make = { make("\(word) \($0)", $0) }
        self.example = make("\(word) \(example)", example)
    }

    func sections(of settings: Settings) -> [SettingSection<Settings>] { names(settings).map(make) }

    /// The section of its full name, which is in the settings from now on; nil: it belongs to another family, or none.
    func section(
        named text: String, in settings: inout Settings
    ) throws(SettingRefusal) -> SettingSection<Settings>? {
        guard text.hasPrefix("\(word) ") else { return nil }
        let name = String(text.dropFirst(word.count + 1))
        try add(name, &settings)
        return make(name)
    }
}
