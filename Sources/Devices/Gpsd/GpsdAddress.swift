internal import Devices

/// The address of a gpsd.
public struct GpsdAddress: Equatable, Sendable, CustomStringConvertible {
    /// A name or a numeric address, without brackets.
    public let host: String
    /// A TCP port, 1 to 65535.
    public let port: UInt16

    /// The port assigned to gpsd by IANA.
    public static let standardPort: UInt16 = 2947

    /// gpsd on this host at its standard port.
    ///
    /// The name stands for IPv6 and IPv4, and both are tried.
    public static let localhost = GpsdAddress(host: "localhost", port: standardPort)

    private init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Parses `host`, `host:port`, `:port`, `[v6]`, `[v6]:port`, or a bare IPv6 address.
    ///
    /// The host may only have characters of a name or a numeric address, since libgps takes some other words as a
    /// request to read shared memory.
    public init(parsing text: String) throws(GpsdAddressError) {
        if text.isEmpty { throw .empty }
        guard let parts = HostAndPort(text[...]) else {
            throw text.contains("]") ? .badHost(text) : .openBracket(text)
        }
        guard parts.host.utf8.count <= 253, parts.isPlain else { throw .badHost(String(parts.host)) }
        guard let port = parts.port(usual: Self.standardPort) else { throw .badPort(String(parts.portText ?? "")) }
        self.init(host: parts.host.isEmpty ? "localhost" : String(parts.host), port: port)
    }

    /// `host:port`, with brackets around a numeric IPv6 host.
    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

/// Why a text is not the address of a gpsd.
public enum GpsdAddressError: Error, Equatable, CustomStringConvertible {
    /// The text is empty.
    case empty
    /// The port is not a number from 1 to 65535.
    case badPort(String)
    /// The host is neither a name nor a numeric address.
    case badHost(String)
    /// A bracket is not closed.
    case openBracket(String)

    /// What is wrong, and what would be right.
    public var description: String {
        switch self {
        case .empty: "the address of gpsd is empty: give HOST:PORT, such as localhost:2947"
        case .badPort(let port): "'\(port)' is not a TCP port: give a number from 1 to 65535, such as 2947"
        case .badHost(let host): "'\(host)' is not a host: give a name, an IPv4 address or [an IPv6 address]"
        case .openBracket(let text): "'\(text)' lacks the ']' after the IPv6 address: write [::1]:2947"
        }
    }
}
