internal import CLinux
internal import Glibc

/// A TCP stream for a thread that may block, with deadlines on `Clock.monotonicNanoseconds`; never raises SIGPIPE.
public struct NetworkSocket: ~Copyable {
    private let descriptor: Descriptor

    /// Takes over a connection, which sends without delay. `setsockopt(2)` TCP_NODELAY
    public init(_ connection: consuming TCPConnection) {
        descriptor = connection.release()
        clinux_send_at_once(descriptor.number)
    }

    /// Sends all bytes. `send(2)`
    ///
    /// Throws ETIMEDOUT if the peer does not take them in time.
    public func send(_ bytes: [UInt8], until deadline: Int64) throws(SystemError) {
        var sent = 0
        while sent < bytes.count {
            let result = Syscalls.send(descriptor.number, bytes.span.extracting(sent...))
            if result >= 0 {
                sent += result
            } else if result != -Int(EAGAIN) {
                throw SystemError("send", code: Int32(clamping: -result))
            } else if !Self.waitUntilWritable(descriptor.number, until: deadline) {
                throw SystemError("send", code: ETIMEDOUT)
            }
        }
    }

    /// Waits for bytes and returns how many arrived. `recv(2)`
    ///
    /// Throws ETIMEDOUT if none arrive in time, ECONNRESET if the peer has closed.
    public func receive(into buffer: inout [UInt8], until deadline: Int64) throws(SystemError) -> Int {
        while true {
            let result = unsafe buffer.withUnsafeMutableBytes { bytes in
                unsafe Syscalls.receive(descriptor.number, into: bytes)
            }
            if result > 0 { return result }
            if result == 0 { throw SystemError("receive", code: ECONNRESET) }
            guard result == -Int(EAGAIN) else { throw SystemError("receive", code: Int32(clamping: -result)) }
            let left = deadline - Clock.monotonicNanoseconds()
            guard left > 0 else { throw SystemError("receive", code: ETIMEDOUT) }
            _ = Wait.untilReadable(descriptor.number, nanoseconds: left)
        }
    }

    /// Sends what the kernel takes at once, as a last message.
    public func sendWithoutWaiting(_ bytes: [UInt8]) { _ = Syscalls.send(descriptor.number, bytes.span) }

    private static func waitUntilWritable(_ number: Int32, until deadline: Int64) -> Bool {
        while true {
            let left = deadline - Clock.monotonicNanoseconds()
            if left <= 0 { return false }
            if clinux_poll_writable(number, left) != 0 { return true }
        }
    }
}
