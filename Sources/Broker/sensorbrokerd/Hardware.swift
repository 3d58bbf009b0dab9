internal import Glibc
internal import IIO
internal import Platform

/// A piece of hardware that only one broker of the host may use, whatever its name or its user.
///
/// Two addresses of one service, such as ::1 and 127.0.0.1, are one piece: it has one lock.
enum Hardware: Hashable, Sendable, CustomStringConvertible {
    /// The receivers of a gpsd.
    case gpsd(TCPEndpoint)
    /// The sensors behind an iiod.
    case iiod(TCPEndpoint)
    /// This host's own sensors; the text identifies them.
    case sensors(String)

    var lockName: String {
        switch self {
        case .gpsd(let endpoint): "sensorbroker/gpsd/\(endpoint.key)"
        case .iiod(let endpoint): Self.iiodLockName(endpoint.key)
        case .sensors(let identity): "sensorbroker/iio/\(identity)"
        }
    }

    static func iiodLockName(_ key: String) -> String { "sensorbroker/iiod/\(key)" }

    var description: String {
        switch self {
        case .gpsd(let endpoint): "gpsd at \(endpoint)"
        case .iiod(let endpoint): "the iiod at \(endpoint)"
        case .sensors: "this host's IIO sensors"
        }
    }

    static func == (one: Self, other: Self) -> Bool { one.lockName == other.lockName }

    func hash(into hasher: inout Hasher) { hasher.combine(lockName) }

    /// Whether the holder of its lock has a right to it.
    ///
    /// Anybody in this network namespace can connect to a TCP service and use what is behind it, so the first broker
    /// has it. The host's own sensors belong to users who may open them; others must not be able to block them. A
    /// holder that cannot be identified counts as legitimate (Platform/HostLock).
    func belongs(to holder: LockHolder) -> Bool {
        guard case .sensors = self else { return true }
        return switch holder {
        case .peer(let peer): LocalSensors.admit(userID: peer.userID, groupIDs: peer.allGroupIDs)
        // Another process of our own user has our rights.
        case .user(let userID): userID == geteuid() || LocalSensors.admit(userID: userID)
        case .unknown: true
        }
    }
}
