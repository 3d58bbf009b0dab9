internal import CLinux
internal import Platform
internal import Varlink

/// A connection to a Varlink service: calls go out, replies come in, one after the other.
struct BrokerConnection: ~Copyable {
    /// As much as any Varlink implementation takes in one message.
    private static let maximumReplyBytes = 16 << 20

    private let descriptor: Descriptor
    private var framer = MessageFramer(maximumBytes: Self.maximumReplyBytes)
    private var buffer = [UInt8](repeating: 0, count: 1 << 16)

    /// Connects to the socket at a path. `connect(2)`
    init(path: String) throws(SystemError) {
        let descriptor = Descriptor(owning: clinux_blocking_stream_socket())
        guard descriptor.number >= 0 else { throw .current("socket") }
        guard unsafe clinux_connect_unix(descriptor.number, path) == 0 else { throw .current("connect \(path)") }
        self.descriptor = descriptor
    }

    /// Sends a call. `send(2)`
    func send(_ call: Call) throws(Failure) {
        var writer = JSONWriter()
        writer.call(call)
        var sent = 0
        while sent < writer.bytes.count {
            let count = unsafe writer.bytes[sent...].withUnsafeBytes {
                unsafe clinux_send_blocking(descriptor.number, $0.baseAddress, $0.count)
            }
            if count >= 0 { sent += count } else if clinux_errno() != EINTR { throw Self.closed }
        }
    }

    /// The next reply; nil where none came until an instant of CLOCK_BOOTTIME. `ppoll(2)`, `recv(2)`
    mutating func reply(until deadlineNanoseconds: Int64) throws(Failure) -> Reply? {
        while true {
            if let message = try nextMessage() { return try Self.parse(message) }
            let wait = max(0, BootClock.nanoseconds(until: deadlineNanoseconds))
            switch clinux_poll_two(descriptor.number, -1, wait) {
            case 0: return nil
            case 1...: try receive()
            default: if clinux_errno() != EINTR { throw Self.closed }
            }
        }
    }

    private mutating func receive() throws(Failure) {
        let count = unsafe buffer.withUnsafeMutableBytes {
            unsafe clinux_receive(descriptor.number, $0.baseAddress, $0.count)
        }
        if count > 0 { return framer.append(contentsOf: buffer[..<count]) }
        let code = clinux_errno()
        guard count < 0, code == EAGAIN || code == EINTR else { throw Self.closed }
    }

    private mutating func nextMessage() throws(Failure) -> [UInt8]? {
        do { return try framer.next() } catch { throw Self.unintelligible("a reply longer than any should be") }
    }

    private static func parse(_ message: [UInt8]) throws(Failure) -> Reply {
        do { return try Reply(parsing: message) } catch { throw unintelligible("\(error)") }
    }

    private static let closed = Failure(
        .unavailable, "the broker closed the connection; see whether it still runs: sensorctl list")

    /// What is at the other end does not talk as a broker does.
    static func unintelligible(_ what: String) -> Failure {
        Failure(.unavailable, "this is no broker, or one of another version: \(what). Is it the right --socket?")
    }
}
