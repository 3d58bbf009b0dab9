internal import CLinux
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
    /// Whether it is an address of this host that the broker's unit allows.
    public var isNear: Bool { isThisHost && isPrivate }

    /// How long to wait for the resolver before a device is reported as missing.
    public static let patienceNanoseconds: Int64 = 2_000_000_000

    /// Advice for the user when none of the addresses answers.
    public static func cure(ofSilence endpoints: [TCPEndpoint]) -> String {
        guard let outside = endpoints.first(where: { !$0.isPrivate }) else {
            return "see whether that host is up, and whether a firewall lets this one in"
        }
        return
            "see whether that host is up, and whether a firewall lets this one in; the service itself may reach private "
            + "networks only, until IPAddressAllow=\(outside.host) is in its unit (sensorbrokerd.conf(5) has how)"
    }

    /// The addresses of a host without duplicates, in the order in which to try them.
    ///
    /// A numeric address needs no resolver, in any form that the system knows (`127.1`, `0`). A name is looked up on a separate
    /// thread, because the resolver has no timeout. Throws ETIMEDOUT if it does not answer in time, and ENXIO if there is no
    /// such host.
    public static func resolve(
        _ host: String, port: UInt16, withinNanoseconds: Int64
    ) throws(SystemError) -> [TCPEndpoint] {
        if case .found(let endpoints) = LookUp.of(host, port, flags: AI_NUMERICHOST) { return endpoints }
        let answer = try Answer()
        try Thread.start(name: "resolver") { answer.give(LookUp.of(host, port, flags: 0)) }
        switch answer.take(withinNanoseconds: withinNanoseconds) {
        case .found(let endpoints): return endpoints
        case .failed(let code): throw SystemError("look up \(host)", code: code)
        case nil: throw SystemError("look up \(host)", code: ETIMEDOUT)
        }
    }
}

/// The result of a look-up.
private enum LookUp {
    case found([TCPEndpoint])
    case failed(Int32)

    /// How many addresses are tried at most.
    private static let most = 16

    /// Looks up a host. `getaddrinfo(3)`
    static func of(_ host: String, _ port: UInt16, flags: Int32) -> LookUp {
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        unsafe hints.ai_flags = flags | AI_NUMERICSERV
        var list: UnsafeMutablePointer<addrinfo>?
        let code = unsafe getaddrinfo(host, "\(port)", &hints, &list)
        guard code == 0 else { return .failed(code == EAI_SYSTEM ? clinux_errno() : Self.code(of: code)) }
        defer { unsafe freeaddrinfo(list) }
        var found: [TCPEndpoint] = []
        var next = unsafe list
        while let entry = unsafe next, found.count < most {
            let bytes = unsafe Array(
                UnsafeRawBufferPointer(start: entry.pointee.ai_addr, count: Int(entry.pointee.ai_addrlen)))
            if let endpoint = endpoint(bytes, port), !found.contains(where: { $0.host == endpoint.host }) {
                found.append(endpoint)
            }
            unsafe next = entry.pointee.ai_next
        }
        return found.isEmpty ? .failed(ENXIO) : .found(found)
    }

    private static func code(of code: Int32) -> Int32 {
        switch code {
        case EAI_AGAIN: EAGAIN
        case EAI_MEMORY: ENOMEM
        default: ENXIO
        }
    }

    private static func endpoint(_ bytes: [UInt8], _ port: UInt16) -> TCPEndpoint? {
        guard let text = SocketAddress.numbers(bytes) else { return nil }
        // An IPv4-mapped IPv6 address is the same as the IPv4 address.
        if text.hasPrefix("::ffff:"), text.contains(".") {
            let plain = of(String(text.dropFirst(7)), port, flags: AI_NUMERICHOST)
            if case .found(let endpoints) = plain { return endpoints.first }
            return nil
        }
        return TCPEndpoint(host: text, port: port, isThisHost: isOwn(text, bytes), bytes: bytes)
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

/// Passes the result from the resolver's thread to the waiting one.
private final class Answer: Sendable {
    private let value = Locked<LookUp?>(nil)
    private let event: WakeEvent

    init() throws(SystemError) { event = try WakeEvent() }

    func give(_ result: LookUp) {
        value.withLock { $0 = result }
        event.ring()
    }

    func take(withinNanoseconds: Int64) -> LookUp? {
        let deadline = Clock.monotonicNanoseconds() + withinNanoseconds
        while true {
            let left = deadline - Clock.monotonicNanoseconds()
            if Wait.untilReadable(event.descriptor, nanoseconds: max(0, left)).first || left <= 0 {
                return value.withLock { $0 }
            }
        }
    }
}
