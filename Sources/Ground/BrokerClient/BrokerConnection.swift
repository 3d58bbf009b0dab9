internal import CLinux
internal import Glibc
public import Platform
public import Varlink

/// A connection to a Varlink service that sends calls and receives replies in order.
///
/// `reply(until:)` blocks, for threads that may wait. With an event loop, wait for `number` to become readable and call
/// `receive` and `nextReply`, which never block.
public struct BrokerConnection: ~Copyable {
    /// The largest reply that is accepted, as in other Varlink implementations.
    private static let maximumReplyBytes = 16 << 20

    /// The path of the socket it is connected to; nil if the descriptor was taken over.
    public let path: String?
    private let descriptor: Descriptor
    private let process: pid_t
    private var framer = MessageFramer(maximumBytes: Self.maximumReplyBytes)
    private var buffer = [UInt8](repeating: 0, count: 1 << 15)

    /// Takes over a connected stream socket.
    public init(_ descriptor: consuming Descriptor) { self.init(descriptor, to: nil) }

    init(_ descriptor: consuming Descriptor, to path: String?, of process: pid_t = getpid()) {
        self.descriptor = descriptor
        self.path = path
        self.process = process
    }

    // Ends the connection although a fork of the process has the socket, too: the service would keep a stream or a provision. In a fork
    // it is the connection of the other process, which goes on with it.
    deinit { if getpid() == process { _ = shutdown(descriptor.number, Int32(SHUT_RDWR)) } }

    /// Connects to the socket at a path. `connect(2)`
    ///
    /// `connect` blocks when the service's backlog is full, and `send` when its buffer is. Both fail with EAGAIN after
    /// `patienceNanoseconds`. With 0 the socket never blocks.
    public init(path: String, patienceNanoseconds: Int64) throws(SystemError) {
        let blocks = patienceNanoseconds > 0
        let descriptor = Descriptor(owning: blocks ? clinux_blocking_stream_socket() : clinux_stream_socket())
        guard descriptor.number >= 0 else { throw .current("socket") }
        let begin = Clock.bootNanoseconds()
        var left = patienceNanoseconds
        while true {
            if blocks, clinux_limit_sending(descriptor.number, left) != 0 { throw .current("setsockopt") }
            if unsafe clinux_connect_unix(descriptor.number, path) == 0 { break }
            // A stop of the process, as by Ctrl-Z, interrupts what has a limit.
            guard clinux_errno() == EINTR else { throw .current("connect \(path)") }
            left = max(0, patienceNanoseconds - (Clock.bootNanoseconds() - begin))
        }
        if left < patienceNanoseconds { _ = clinux_limit_sending(descriptor.number, patienceNanoseconds) }
        self.init(descriptor, to: path)
    }

    /// The descriptor's number, for an event loop.
    public var number: Int32 { descriptor.number }

    /// Sends a call.
    ///
    /// On a nonblocking socket, a call that does not fit ends the connection. `send(2)`
    public func send(_ call: Call) throws(ConnectionFault) {
        var writer = JSONWriter()
        writer.call(call)
        try send(writer.bytes)
    }

    /// Sends whole calls, as they are written; likewise. `send(2)`
    public func send(_ bytes: [UInt8]) throws(ConnectionFault) {
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes[sent...].withUnsafeBytes {
                unsafe clinux_send_blocking(descriptor.number, $0.baseAddress, $0.count)
            }
            if count >= 0 { sent += count } else if clinux_errno() != EINTR { throw .closed }
        }
    }

    /// The next reply; nil if none came by an instant of CLOCK_BOOTTIME. `ppoll(2)`, `recv(2)`
    public mutating func reply(until deadlineNanoseconds: Int64) throws(ConnectionFault) -> Reply? {
        while true {
            if let reply = try nextReply() { return reply }
            let wait = deadlineNanoseconds.subtractingReportingOverflow(Clock.bootNanoseconds())
            switch clinux_poll_two(descriptor.number, -1, wait.overflow ? 0 : max(0, wait.partialValue)) {
            case 0: return nil
            case 1...: try receive()
            default: if clinux_errno() != EINTR { throw .closed }
            }
        }
    }

    /// Reads what has arrived, as far as it fits; false if there may be more. `recv(2)`
    @discardableResult
    public mutating func receive() throws(ConnectionFault) -> Bool {
        let count = unsafe buffer.withUnsafeMutableBytes {
            unsafe clinux_receive(descriptor.number, $0.baseAddress, $0.count)
        }
        if count > 0 {
            framer.append(contentsOf: buffer[..<count])
            return count < buffer.count
        }
        let code = clinux_errno()
        guard count < 0, code == EAGAIN || code == EINTR else { throw .closed }
        return code == EAGAIN
    }

    /// The next complete reply among the received bytes; nil if there is none.
    public mutating func nextReply() throws(ConnectionFault) -> Reply? {
        guard let message = try nextMessage() else { return nil }
        return try Reply(of: message)
    }

    /// The text of the next complete reply among the received bytes; nil if there is none.
    public mutating func nextMessage() throws(ConnectionFault) -> [UInt8]? {
        do { return try framer.next() } catch { throw .unintelligible("a reply exceeds the largest possible size") }
    }
}

/// Why a connection can no longer be used.
public enum ConnectionFault: Error, Equatable {
    /// The peer closed it, or the socket failed.
    case closed
    /// The peer does not behave like a broker; how, in words.
    case unintelligible(String)

    /// A reply lacks a required field, or has it in another form.
    static func improper(_ field: String) -> Self { .unintelligible("its reply has no valid '\(field)'") }
}
