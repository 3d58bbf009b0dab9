internal import Configuration
internal import Platform
internal import Readings
internal import Service

/// What may be provided under a name, and by whom: a section `[Feed NAME]`.
struct FeedSettings: Equatable, Sendable {
    /// What is measured; nil: what the name stands for.
    var kind: Kind?
    var users = UserList()
    var groups: GroupList?
    var samplesPerSecond = 1_000
    var preference = Preference.never

    /// Whether a program takes a name from a sensor of the host.
    enum Preference: String, CaseIterable, Sendable {
        /// The sensor keeps it.
        case never
        /// The program has it while it provides it.
        case prefer
    }
}

/// The users that a setting names, with their ids at the time when the setting was read; each must exist on the host.
struct UserList: Equatable, Sendable {
    /// The names or numbers as written.
    private(set) var names: [String] = []
    private(set) var userIDs: Set<UInt32> = []

    static let form = SettingForm("names or numbers, separated by spaces", text: { $0.names.joined(separator: " ") }) {
        (text) throws(SettingRefusal) in
        var list = UserList()
        for name in text.split(separator: " ").map(String.init) {
            // The largest number is no user.
            guard let id = UInt32(name).flatMap({ $0 == .max ? nil : $0 }) ?? Accounts.userID(named: name) else {
                throw SettingRefusal("there is no user '\(name)' on this host; create it, or name another")
            }
            list.names.append(name)
            list.userIDs.insert(id)
        }
        return list
    }
}

extension Settings {
    subscript(feed name: String) -> FeedSettings {
        get { feeds[name] ?? FeedSettings() }
        set { feeds[name] = newValue }
    }

    var feedPolicy: FeedPolicy {
        var rules: [ResourceName: FeedPolicy.Rule] = [:]
        for (text, feed) in feeds {
            guard let name = ResourceName(text), let kind = feed.kind ?? Kind(resource: name.word) else { continue }
            rules[name] = FeedPolicy.Rule(
                kind, userIDs: feed.users.userIDs, groupIDs: feed.groups?.groupIDs ?? [],
                samplesPerSecond: feed.samplesPerSecond, isPreferred: feed.preference == .prefer)
        }
        return FeedPolicy(rules)
    }

    static var feedFamily: SettingFamily<Settings> {
        SettingFamily(
            "Feed", example: "accelerometer:arm", names: { $0.feeds.keys.sorted() },
            add: { (name, settings) throws(SettingRefusal) in
                guard let resource = ResourceName(name), Kind(provided: resource) != nil else {
                    throw SettingRefusal("write the name of a resource, such as [Feed accelerometer:arm]")
                }
                settings[feed: name] = settings[feed: name]
            },
            make: { SettingSection($0, about, keys(of: $1)) })
    }

    private static let about = """
        A resource that a program provides (`sensorctl feed`, the libraries), one section for each: NAME is that of a kind or, with a
        suffix, of one of several, such as `accelerometer:arm`. What has no section may not be provided.
        """

    private static func keys(of name: String) -> [SettingKey<Settings>] {
        let kind = SettingForm<Kind>("the name of a kind on the wire, such as `acceleration`", text: \.wire) {
            (text) throws(SettingRefusal) in
            guard let kind = Kind(wire: text) ?? Kind(resource: text), kind.isProvidable else {
                throw SettingRefusal("a program can provide no such kind: write one such as acceleration")
            }
            return kind
        }
        return [
            SettingKey(
                "Kind", \.[feed: name].kind, kind, "What is measured. A change requires a restart.",
                default: "what the name says", example: "acceleration"),
            SettingKey(
                "Users", \.[feed: name].users, UserList.form,
                "The users who may provide it, besides root and the user of the service.", default: "nobody else",
                example: "daemon"),
            SettingKey(
                "Groups", \.[feed: name].groups, GroupList.form, "The groups whose members may provide it.",
                default: "nobody else", example: "dialout"),
            SettingKey(
                "MaxRate", \.[feed: name].samplesPerSecond, .number(in: 1...1_000_000),
                "How many samples a second are taken; those beyond are gaps for its clients."),
            SettingKey(
                "Feed", \.[feed: name].preference, .oneOf,
                """
                Whether the program takes the name from a sensor of the host that has it: `prefer`, while it provides it; `never`: it
                is refused, with the name's holder.
                """),
        ]
    }
}
