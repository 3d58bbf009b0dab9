/// Where the broker's sockets may be.
public enum SocketPath {
    private static let broker = "io.sensorbroker.Broker"
    private static let admin = "io.sensorbroker.Admin"

    /// The places for the broker's socket, to be tried in this order: the one that is named, or else the host's and the
    /// user's runtime directory.
    public static func candidates(named: String?, userRuntimeDirectory: String?) -> [String] {
        if let named { return [named] }
        let directories = ["/run"] + (userRuntimeDirectory.map { [$0] } ?? [])
        return directories.map { "\($0)/sensorbroker/\(broker)" }
    }

    /// The administrator's socket: beside the broker's.
    public static func admin(besideBroker path: String) -> String {
        let slash = path.lastIndex(of: "/")
        return slash.map { path[...$0] + admin } ?? admin
    }
}
