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
    func belongs(to holder: Peer) -> Bool {
        guard case .sensors = self else { return true }
        return LocalSensors.admit(userID: holder.userID, groupIDs: holder.allGroupIDs)
    }
}
