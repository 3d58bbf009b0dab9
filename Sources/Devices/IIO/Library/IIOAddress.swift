public import Devices
internal import Glibc
public import Platform
internal import Readings

/// Where an IIO context is: on this host, or behind an iiod.
public struct IIOAddress: Equatable, Sendable, CustomStringConvertible {
    /// The address as it was given: `local:`, `ip:HOST` or `ip:HOST:PORT`.
    public let description: String
    /// The host and port of an iiod; nil for this host's own sensors.
    private let service: Service?

    private struct Service: Equatable {
        let host: String
        let port: UInt16
    }

    /// This host's own sensors.
    public static let local = IIOAddress(local: "local:")
    private static let standardPort: UInt16 = 30_431

    /// True if samples come from an iiod over the network.
    public var isNetwork: Bool { service != nil }

    /// Reads `local:`, `ip:HOST` or `ip:HOST:PORT`; nil for anything else.
    ///
    /// An IPv6 host with a port is written `[HOST]:PORT`.
    public init?(_ uri: String) {
        if uri == Self.local.description {
            self = .local
            return
        }
        guard uri.hasPrefix("ip:"), let service = Self.service(uri.dropFirst(3)) else { return nil }
        description = uri
        self.service = service
    }

    private init(local: String) {
        description = local
        service = nil
    }

    /// The endpoints that the resolver finds, within two seconds; none for `local:`.
    public func resolved() throws(DeviceFault) -> [TCPEndpoint] {
        guard let service else { return [] }
        do throws(SystemError) {
            return try TCPEndpoint.resolve(
                service.host, port: service.port, withinNanoseconds: TCPEndpoint.patienceNanoseconds)
        } catch {
            let why = TCPEndpoint.cure(of: error, resolving: service.host)
            throw DeviceFault(.missing, "no iiod answers at \(self): \(why)", cause: error)
        }
    }

    private static func service(_ text: Substring) -> Service? {
        guard (1...280).contains(text.utf8.count), text.utf8.allSatisfy(isHostByte) else { return nil }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            let host = text[text.index(after: text.startIndex)..<end]
            let rest = text[text.index(after: end)...]
            guard !host.isEmpty, !host.contains("[") else { return nil }
            if rest.isEmpty { return Service(host: String(host), port: standardPort) }
            guard rest.hasPrefix(":"), let port = port(rest.dropFirst()) else { return nil }
            return Service(host: String(host), port: port)
        }
        guard !text.contains("["), !text.contains("]") else { return nil }
        if parts.count == 2 {
            guard !parts[0].isEmpty, let port = port(parts[1]) else { return nil }
            return Service(host: String(parts[0]), port: port)
        }
        return Service(host: String(text), port: standardPort)
    }

    private static func port(_ text: Substring) -> UInt16? { UInt16(text).flatMap { $0 > 0 ? $0 : nil } }

    private static func isHostByte(_ byte: UInt8) -> Bool {
        byte.isLetter || byte.isDigit || "-._:[]%".utf8.contains(byte)
    }
}
