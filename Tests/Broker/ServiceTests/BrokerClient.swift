import Foundation
import Platform
import Testing
import Varlink

/// A client of a served broker; it reads only on command.
struct BrokerClient: ~Copyable {
    private let socket: UnixSocket
    private var framer = MessageFramer(maximumBytes: 1 << 20)
    private var received = [UInt8](repeating: 0, count: 1 << 16)
    private let interface: String

    init(_ broker: ServedBroker, asAdministrator: Bool = false) throws {
        let socket = try Self.connected(to: asAdministrator ? broker.adminPath : broker.path)
        self.init(socket, asAdministrator ? "io.sensorbroker.Admin." : "io.sensorbroker.Broker.")
    }

    private init(_ socket: consuming UnixSocket, _ interface: String) {
        self.socket = socket
        self.interface = interface
    }

    private static func connected(to path: String) throws -> UnixSocket {
        let descriptor = Descriptor(owning: Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0))
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor.number, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(result == 0)
        return UnixSocket(descriptor)
    }

    func send(_ method: String, _ parameters: JSONObject = [:], mode: Call.Mode = .plain) {
        var writer = JSONWriter()
        writer.call(Call(interface + method, parameters: parameters, mode: mode))
        #expect(socket.send(writer.bytes.span) == .sent)
    }

    /// The same, if the broker may have closed the connection.
    func trySend(_ method: String, _ parameters: JSONObject = [:], mode: Call.Mode = .plain) {
        var writer = JSONWriter()
        writer.call(Call(interface + method, parameters: parameters, mode: mode))
        _ = socket.send(writer.bytes.span)
    }

    /// Waits for the next reply.
    mutating func reply() throws -> Reply {
        while true {
            if let message = try framer.next() { return try Reply(parsing: message) }
            let isReadable = Wait.untilReadable(socket.number, nanoseconds: Patience.nanoseconds).first
            try #require(isReadable, "no reply comes")
            switch socket.receive(into: &received) {
            case .received(let count): framer.append(contentsOf: received[..<count])
            case .nothing: continue
            case .ended, .failed: throw CocoaError(.fileReadUnknown)
            }
        }
    }

    /// The parameters of the next reply, which must not be an error.
    mutating func answer() throws -> Parameters {
        guard case .success(let parameters, _) = try reply() else { throw CocoaError(.coderInvalidValue) }
        return parameters
    }

    /// Returns when the broker has handled everything that was sent to it, and that its device reported, before.
    mutating func settle() throws {
        // The first answer may come in the same turn, before the device's events; the second is from a later turn.
        for _ in 0..<2 {
            send("ListResources")
            _ = try reply()
        }
    }
}
