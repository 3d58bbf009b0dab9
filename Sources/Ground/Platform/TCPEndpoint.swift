internal import Glibc

/// The numeric address and port of a TCP service.
public struct TCPEndpoint: Hashable, Sendable, CustomStringConvertible {
    /// The numeric address; IPv6 without brackets.
    public let host: String
    /// The port.
    public let port: UInt16
    /// Whether the address is one of this host's own.
    public let isThisHost: Bool
    /// The kernel's form of it, a `sockaddr`.
    let bytes: [UInt8]

    /// `HOST:PORT`, with brackets around IPv6.
    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// Identifies the service: all addresses of this host have the same key.
    public var key: String { isThisHost ? "this-host:\(port)" : description }

    /// Whether it is in a private network or on the loopback (RFC 1918, 3927, 4193, 4291, 6598), not routed on the internet.
    ///
    /// The service's unit allows these networks. It looks at addresses only, so a public address of this host is not private.
    public var isPrivate: Bool {
        if ["::", "::1", "0.0.0.0"].contains(host) { return true }
        let parts = host.split(separator: ".").compactMap { UInt8($0) }
        guard parts.count == 4 else {
            let first = host.split(separator: ":").first.flatMap { UInt16($0, radix: 16) } ?? 0
            return first & 0xfe00 == 0xfc00 || first & 0xffc0 == 0xfe80
        }
        switch (parts[0], parts[1]) {
        case (127, _), (10, _), (172, 16...31), (192, 168), (169, 254), (100, 64...127): return true
        default: return false
        }
    }
}

extension TCPEndpoint {
    /// Whether the address is one of this host that the broker's unit allows.
    public var isNear: Bool { isThisHost && isPrivate }

    /// How long to wait for the resolver before a device is reported as missing.
    public static let patienceNanoseconds: Int64 = 2_000_000_000

    /// Advice for the user when none of the addresses answers.
    public static func cure(ofSilence endpoints: [TCPEndpoint]) -> String {
        guard let outside = endpoints.first(where: { !$0.isPrivate }) else {
            return "check that the host is up and that its firewall admits this one"
        }
        return
            "check that the host is up and that its firewall admits this one; the service may reach only private "
            + "networks unless its unit has IPAddressAllow=\(outside.host) (see sensorbrokerd.conf(5))"
    }

    /// Why a host has no addresses, and advice for the user.
    public static func cure(of error: SystemError, resolving host: String) -> String {
        switch error.code {
        case ETIMEDOUT: "the resolver does not answer: try 'getent hosts \(host)', or write a numeric address"
        case ENXIO: "its host is unknown: try 'getent hosts \(host)', or write a numeric address"
        default: error.description
        }
    }

    /// The addresses of a host without duplicates, in the order in which to try them.
    ///
    /// A numeric address needs no resolver, in any form that the system knows (`127.1`, `0`), and neither does `localhost`. Throws
    /// ETIMEDOUT if the resolver does not answer in time, and ENXIO if there is no such host. Without a limit, the thread itself
    /// looks it up.
    public static func resolve(
        _ host: String, port: UInt16, withinNanoseconds: Int64?
    ) throws(SystemError) -> [TCPEndpoint] {
        let known = (Loopback.isName(host) ? Loopback.addresses : [host]).flatMap { numeric -> [[UInt8]] in
            if case .found(let addresses) = Resolver.ask(numeric, flags: AI_NUMERICHOST) { addresses } else { [] }
        }
        let addresses =
            try known.isEmpty ? Resolver.shared.addresses(of: host, withinNanoseconds: withinNanoseconds) : known
        var found: [TCPEndpoint] = []
        for address in addresses {
            guard let endpoint = TCPEndpoint(address, port), !found.contains(where: { $0.host == endpoint.host }) else {
                continue
            }
            found.append(endpoint)
            if found.count == most { break }
        }
        guard !found.isEmpty else { throw SystemError("look up \(host)", code: ENXIO) }
        return found
    }

    /// How many addresses of a host are tried at most.
    private static let most = 16

    /// The endpoint at an address of any port.
    private init?(_ address: [UInt8], _ port: UInt16) {
        guard let text = SocketAddress.numbers(address), let bytes = SocketAddress.with(port: port, address) else {
            return nil
        }
        // An IPv4-mapped IPv6 address is the same as the IPv4 address.
        if text.hasPrefix("::ffff:"), text.contains(".") {
            guard case .found(let plain) = Resolver.ask(String(text.dropFirst(7)), flags: AI_NUMERICHOST),
                let first = plain.first
            else { return nil }
            self.init(first, port)
        } else {
            self.init(host: text, port: port, isThisHost: Self.isOwn(text, bytes), bytes: bytes)
        }
    }

    /// To its own address, a host sends from that address or from the loopback address.
    ///
    /// The unspecified addresses are its own.
    private static func isOwn(_ text: String, _ bytes: [UInt8]) -> Bool {
        if text.hasPrefix("127.") || ["::1", "::", "0.0.0.0"].contains(text) { return true }
        guard let source = SocketAddress.source(towards: bytes) else { return false }
        return source == text || source.hasPrefix("127.") || source == "::1"
    }
}
