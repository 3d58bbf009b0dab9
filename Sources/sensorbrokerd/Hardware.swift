internal import Glibc
internal import IIO
internal import Platform

/// A piece of hardware that only one broker may have, by whatever name and whoever's that broker is.
enum Hardware: Hashable, Sendable, CustomStringConvertible {
    /// The receivers of a gpsd.
    case gpsd(TCPEndpoint)
    /// The sensors behind an iiod.
    case iiod(TCPEndpoint)
    /// This host's own sensors; the text is what identifies them.
    case sensors(String)

    /// The name of its lock.
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

    /// Whether one who holds its lock has a right to.
    ///
    /// Anybody of this network namespace can connect to a TCP service, and so use what is behind it: the first comer has it. Of
    /// the host's own sensors it is who may open them; nobody else can keep them from him.
    /// A holder that nobody can identify is taken for one who has the right (Platform/HostLock).
    func belongs(to holder: LockHolder) -> Bool {
        guard case .sensors = self else { return true }
        return switch holder {
        case .peer(let peer): LocalSensors.admit(userID: peer.userID, groupIDs: peer.allGroupIDs)
        // A further process of our own user has the rights that we have.
        case .user(let userID): userID == geteuid() || LocalSensors.admit(userID: userID)
        case .unknown: true
        }
    }
}
