internal import IIO
internal import Platform

/// A listening TCP port of this host, and its user.
struct TCPListener: Equatable {
    let port: UInt16
    let userID: UInt32

    /// Whether the listener may use this host's sensors, and so may be serving them.
    var servesSensors: Bool { LocalSensors.admit(userID: userID) }

    /// All listeners of this network namespace, from the kernel. `proc_net_tcp(5)`
    static func all() -> [TCPListener] {
        ["/proc/self/net/tcp", "/proc/self/net/tcp6"].flatMap {
            parse(SmallFile.text(at: $0, maximumBytes: 1 << 20) ?? "")
        }
    }

    /// The lines of listeners: state 0A in the fourth field, the port after the colon of the second.
    static func parse(_ text: String) -> [TCPListener] {
        text.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: " ", omittingEmptySubsequences: true)
            guard fields.count > 7, fields[3] == "0A", let user = UInt32(fields[7]),
                let port = fields[1].split(separator: ":").last.flatMap({ UInt16($0, radix: 16) })
            else { return nil }
            return TCPListener(port: port, userID: user)
        }
    }
}
