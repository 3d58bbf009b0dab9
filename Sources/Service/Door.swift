internal import Varlink

/// By which socket a client comes in; each has connections of its own.
public enum Door: String, Sendable {
    /// For whoever may read.
    case clients
    /// For root and the daemon's own user.
    case administrators

    /// What one hears who cannot come in.
    func tooManyConnections(limit: Int) -> VarlinkError {
        let interface =
            switch self {
            case .clients: "io.sensorbroker.Broker"
            case .administrators: "io.sensorbroker.Admin"
            }
        return .other(name: interface + ".TooManyConnections", parameters: ["limit": .integer(Int64(limit))])
    }
}
