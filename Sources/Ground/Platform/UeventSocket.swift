internal import CLinux
internal import Glibc

/// The kernel's messages about devices that come and go. `netlink(7)`, NETLINK_KOBJECT_UEVENT
public struct UeventSocket: ~Copyable, Sendable {
    /// The result of `receive`.
    public enum Received: Equatable, Sendable {
        /// A message: `ACTION@DEVPATH` and assignments, each ended by a zero byte.
        case message([UInt8])
        /// The socket overflowed, so messages were lost.
        case overrun
        /// Nothing is waiting.
        case nothing
    }

    private let descriptor: Descriptor

    /// Starts to listen; throws EAFNOSUPPORT if a sandbox forbids it. `socket(2)`, `bind(2)`
    public init() throws(SystemError) {
        let socket = Descriptor(owning: clinux_uevent_socket())
        guard socket.number >= 0 else { throw SystemError.current("listen for uevents") }
        descriptor = socket
    }

    /// Readable when something is waiting.
    public var number: Int32 { descriptor.number }

    /// Returns the next message of the kernel, and ignores those of other senders, since any process can send.
    /// `recvfrom(2)`
    public func receive() -> Received {
        var bytes = [UInt8](repeating: 0, count: 8_192)
        while true {
            var sender: UInt32 = 0
            let count = unsafe bytes.withUnsafeMutableBytes {
                unsafe clinux_receive_uevent(descriptor.number, $0.baseAddress, $0.count, &sender)
            }
            if count < 0 {
                let code = clinux_errno()
                if code == EINTR { continue }
                return code == ENOBUFS ? .overrun : .nothing
            }
            if sender == 0, count > 0 { return .message(Array(bytes[..<count])) }
        }
    }
}
