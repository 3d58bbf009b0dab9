/// Where an IIO context is: on this host, or behind an iiod.
public struct IIOAddress: Equatable, Sendable, CustomStringConvertible {
    /// The address as libiio takes it: `local:`, `ip:HOST` or `ip:HOST:PORT`.
    public let description: String
    /// True where samples come from an iiod over the network.
    public let isNetwork: Bool

    /// The host's own sensors.
    public static let local = IIOAddress(local: "local:")

    /// An address, if it is `local:`, `ip:HOST` or `ip:HOST:PORT`; an IPv6 host with a port is written `[HOST]:PORT`.
    public init?(_ uri: String) {
        if uri == Self.local.description {
            self = .local
            return
        }
        guard uri.hasPrefix("ip:"), Self.isHostAndPort(uri.utf8.dropFirst(3)) else { return nil }
        description = uri
        isNetwork = true
    }

    /// Whether this host's kernel has an IIO bus, without which it has no device either; does not ask libiio. `access(2)`
    public static var isOnHost: Bool { DeviceNode.hasBus }

    private init(local: String) {
        description = local
        isNetwork = false
    }

    private static func isHostAndPort(_ text: Substring.UTF8View) -> Bool {
        let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        let bracketed = text.first == UInt8(ascii: "[") && !text.contains(UInt8(ascii: "%"))
        guard (1...280).contains(text.count), text.allSatisfy(isHostByte) else { return false }
        if parts.count == 1 { return true }
        if parts.count == 2 { return !parts[0].isEmpty && isPort(parts[1]) }
        guard bracketed else { return !text.contains(UInt8(ascii: "[")) }
        return parts[parts.count - 2].last == UInt8(ascii: "]") && parts.last.map(isPort) == true
    }

    private static func isPort(_ text: Substring.UTF8View.SubSequence) -> Bool {
        UInt16(Substring(text)).map { $0 > 0 } ?? false
    }

    private static func isHostByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "-._:[]%".utf8.contains(byte)
        }
    }
}
