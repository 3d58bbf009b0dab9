/// Settings that files set: their defaults, and the table of their keys.
public protocol ConfigurableSettings: Equatable, Sendable {
    /// The defaults.
    init()
    /// All keys; it is made when it is asked for, since a program needs it only to read its configuration.
    static var table: SettingTable<Self> { get }
}

/// All keys of a configuration: the parser, `--check-config` and the pages about settings follow this table.
public struct SettingTable<Settings: ConfigurableSettings>: Sendable {
    /// All sections, in the order of the documentation.
    public let sections: [SettingSection<Settings>]
    /// All keys, in that order.
    public var keys: [SettingKey<Settings>] { sections.flatMap(\.keys) }

    /// A table.
    public init(_ sections: [SettingSection<Settings>]) {
        self.sections = sections
        assert(Set(sections.map(\.name)).count == sections.count, "each section occurs once")
        assert(Set(keys.map(\.title)).count == keys.count, "each key has one row")
    }

    /// The differences between two settings, as lines of a log.
    public func changes(from former: Settings, to settings: Settings) -> [String] {
        keys.filter { $0.text(former) != $0.text(settings) }.map { $0.title + $0.text(settings) }
    }
}
