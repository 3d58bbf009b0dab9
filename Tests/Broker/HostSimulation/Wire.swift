internal import CLinux
internal import Glibc
internal import Platform
internal import Readings
internal import Service
internal import Varlink

/// A program's end of a connection to the broker.
final class Wire {
    private let socket: UnixSocket
    private var framer = MessageFramer(maximumBytes: 1 << 22)
    private var buffer = [UInt8](repeating: 0, count: 65_536)
    /// Whether the broker has closed it.
    private(set) var hasEnded = false

    /// Connects to a handler's calls.
    init(_ server: Server, _ handler: any CallHandler, _ now: BootTime) {
        var (ours, theirs): (Int32, Int32) = (-1, -1)
        precondition(unsafe clinux_stream_pair(&ours, &theirs) == 0, "the process has descriptors left")
        _ = fcntl(theirs, F_SETFL, O_NONBLOCK)
        socket = UnixSocket(Descriptor(owning: ours))
        server.clients.admit(UnixSocket(Descriptor(owning: theirs)), handler, now: now)
    }

    func call(_ method: String, _ parameters: JSONObject, _ mode: Call.Mode = .plain) {
        var writer = JSONWriter()
        writer.call(Call("io.sensorbroker.\(method)", parameters: parameters, mode: mode))
        send(writer.bytes)
    }

    func send(_ bytes: [UInt8]) { _ = socket.send(bytes.span) }

    /// The replies that have come.
    func replies() -> [Reply] {
        while case .received(let count) = receive() { framer.append(contentsOf: buffer[..<count]) }
        var replies: [Reply] = []
        while let message = try? framer.next(), let reply = try? Reply(parsing: message) { replies.append(reply) }
        return replies
    }

    private func receive() -> ReceiveOutcome {
        let outcome = socket.receive(into: &buffer)
        if case .ended = outcome { hasEnded = true }
        return outcome
    }
}
