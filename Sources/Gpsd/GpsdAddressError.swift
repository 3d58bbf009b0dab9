/// Why a text does not name a gpsd.
public enum GpsdAddressError: Error, Equatable, CustomStringConvertible {
    /// Nothing is there.
    case empty
    /// The port is not a number from 1 to 65535.
    case badPort(String)
    /// The host is neither a name nor a numeric address.
    case badHost(String)
    /// A bracket is not closed.
    case openBracket(String)

    /// What is wrong and what would be right.
    public var description: String {
        switch self {
        case .empty: "the address of gpsd is empty: give HOST:PORT, such as localhost:2947"
        case .badPort(let port): "'\(port)' is not a TCP port: give a number from 1 to 65535, such as 2947"
        case .badHost(let host): "'\(host)' is not a host: give a name, an IPv4 address or [an IPv6 address]"
        case .openBracket(let text): "'\(text)' lacks the ']' after the IPv6 address: write [::1]:2947"
        }
    }
}
