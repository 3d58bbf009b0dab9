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
        guard text.utf8.count <= 280, let parts = HostAndPort(text), !parts.host.isEmpty, parts.isPlain,
            let port = parts.port(usual: standardPort)
        else { return nil }
        return Service(host: String(parts.host), port: port)
    }
}
