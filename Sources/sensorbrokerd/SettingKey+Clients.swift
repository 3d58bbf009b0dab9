internal import Admission
internal import Configuration
internal import Service

/// The keys that are about clients: who may read what, and how much of everything a user may have.
extension SettingKey {
    static let ofClients: [SettingKey] = [
        SettingKey("Clients", "StuckTimeoutSec", \.stuckTimeout, text: \.description) {
            (text) throws(SettingRefusal) in try span(text, from: 1_000_000_000)
        },
        most("MaxConnections", \.connections.total, mostConnections),
        most("MaxConnectionsPerUser", \.connections.perUser, 1...65_536),
        most("MaxSubscriptionsPerUser", \.subscriptions.perUser, 1...65_536),
    ]

    /// The range of `MaxConnections=`.
    static let mostConnections = 8...65_536

    static let fastReaders = SettingKey("Accelerometer", "FastGroups", \.fastGroups, text: \.description) {
        (text) throws(SettingRefusal) in try GroupList(text)
    }

    private static func most(
        _ name: String, _ path: any WritableKeyPath<Settings, Int> & Sendable, _ range: ClosedRange<Int>
    ) -> SettingKey {
        SettingKey("Clients", name, path, text: \.description) { (text) throws(SettingRefusal) in
            guard let number = Int(text), range.contains(number) else {
                throw SettingRefusal("write a number from \(range.lowerBound) to \(range.upperBound)")
            }
            return number
        }
    }
}
