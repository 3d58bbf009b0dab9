internal import Platform

/// Groups of the host, as a setting names them.
struct GroupList: Equatable, Sendable {
    /// Those who may read fast, where the host has that group.
    static let fast = GroupList(names: ["sensorbroker-fast"], ids: [])

    /// The names, or numbers, as they are written.
    let names: [String]
    private let ids: Set<UInt32>

    private init(names: [String], ids: Set<UInt32>) {
        self.names = names
        self.ids = ids
    }

    /// The groups of a text, separated by spaces; each must be one of the host's, a number, or the usual one.
    init(_ text: String) throws(SettingRefusal) {
        var (names, ids): ([String], Set<UInt32>) = ([], [])
        for word in text.split(separator: " ").map(String.init) {
            if let id = UInt32(word) ?? RuntimeDirectory.groupID(named: word) {
                ids.insert(id)
            } else if !Self.fast.names.contains(word) {
                throw SettingRefusal(
                    "there is no group '\(word)' on this host; create it (groupadd \(word)), or name another")
            }
            names.append(word)
        }
        self.init(names: names, ids: ids)
    }

    /// The ids by which the kernel knows them now; of the usual group there is none where the host has it not.
    var groupIDs: Set<UInt32> {
        ids.union(names.filter { Self.fast.names.contains($0) }.compactMap { RuntimeDirectory.groupID(named: $0) })
    }
}

extension GroupList: CustomStringConvertible {
    /// As it would be written.
    var description: String { names.joined(separator: " ") }
}
