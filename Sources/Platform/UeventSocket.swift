internal import CLinux
internal import Glibc

/// What the kernel says when devices come and go. `netlink(7)`, NETLINK_KOBJECT_UEVENT
public struct UeventSocket: ~Copyable, Sendable {
    /// What `receive` brought.
    public enum Received: Equatable, Sendable {
        /// A message: `ACTION@DEVPATH` and assignments, each ended by a zero byte.
        case message([UInt8])
        /// More came than the socket could hold: some are lost.
        case overrun
        /// Nothing is waiting.
        case nothing
    }

    private let descriptor: Descriptor

    /// Listens from now on; EAFNOSUPPORT where a sandbox forbids it. `socket(2)`, `bind(2)`
    public init() throws(SystemError) {
        let socket = Descriptor(owning: clinux_uevent_socket())
        guard socket.number >= 0 else { throw SystemError.current("listen for uevents") }
        descriptor = socket
    }

    /// Readable when something is waiting.
    public var number: Int32 { descriptor.number }

    /// Takes the next message of the kernel; those of other senders, which any process may be, are passed over. `recvfrom(2)`
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
