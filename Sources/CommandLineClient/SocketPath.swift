/// Where the broker's sockets may be.
enum SocketPath {
    private static let broker = "io.sensorbroker.Broker"
    private static let admin = "io.sensorbroker.Admin"

    /// The places for the broker's socket, to be tried in this order.
    static func candidates(option: String?, _ environment: Environment) -> [String] {
        if let named = option ?? environment.socket { return [named] }
        let directories = ["/run"] + (environment.runtimeDirectory.map { [$0] } ?? [])
        return directories.map { "\($0)/sensorbroker/\(broker)" }
    }

    /// The administrator's socket: beside the broker's.
    static func admin(besideBroker path: String) -> String {
        let slash = path.lastIndex(of: "/")
        return slash.map { path[...$0] + admin } ?? admin
    }
}
