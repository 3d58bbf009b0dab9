internal import Configuration
internal import Platform

/// The groups that a setting names, with their ids at the time when the setting was read.
///
/// Each group must exist on the host. A misspelt or deleted group would otherwise lock everybody out silently, or admit the
/// members of the next group that gets its id. Only the default group may be missing among those of fast readers, because
/// sensorbrokerd also runs without being installed. Then it has no members, and a remark reports that.
struct GroupList: Equatable, Sendable {
    /// The default group of users who may read fast.
    static let fastName = "sensorbroker-fast"

    static let form = form(ofFastReaders: false)
    static let fastForm = form(ofFastReaders: true)

    private static func form(ofFastReaders: Bool) -> SettingForm<Self> {
        SettingForm("names or numbers, separated by spaces", text: \Self.description) {
            (text) throws(SettingRefusal) in try GroupList(text, ofFastReaders: ofFastReaders)
        }
    }

    /// The names or numbers as written.
    let names: [String]
    let groupIDs: Set<UInt32>
    /// Whether the setting names the default group, and the host does not have it.
    let lacksFastGroup: Bool

    /// Parses groups separated by spaces; `lookUp` returns the id of a name.
    init(
        _ text: String, ofFastReaders: Bool = false, lookUp: (String) -> UInt32? = { Accounts.groupID(named: $0) }
    ) throws(SettingRefusal) {
        self.init(names: text.split(separator: " ").map(String.init), lookUp)
        let optional = ofFastReaders ? Self.fastName : nil
        for name in names where name != optional && Self.id(of: name, lookUp) == nil {
            throw SettingRefusal(
                "there is no group '\(name)' on this host; create it (groupadd \(name)), or name another")
        }
    }

    /// The default groups of users who may read fast.
    static func usual(lookUp: (String) -> UInt32? = { Accounts.groupID(named: $0) }) -> Self {
        Self(names: [fastName], lookUp)
    }

    /// The group of the desktop's services; empty where they are not installed.
    static func ofDesktop(lookUp: (String) -> UInt32? = { Accounts.groupID(named: $0) }) -> Self {
        Self(names: ["sensorbroker-desktop"], lookUp)
    }

    private init(names: [String], _ lookUp: (String) -> UInt32?) {
        self.names = names
        groupIDs = Set(names.compactMap { Self.id(of: $0, lookUp) })
        lacksFastGroup = names.contains(Self.fastName) && lookUp(Self.fastName) == nil
    }

    /// The largest number is not a group: to the kernel it means "no group".
    private static func id(of name: String, _ lookUp: (String) -> UInt32?) -> UInt32? {
        UInt32(name).flatMap { $0 == .max ? nil : $0 } ?? lookUp(name)
    }
}

extension GroupList: CustomStringConvertible {
    /// The groups as in a configuration file.
    var description: String { names.joined(separator: " ") }
}
