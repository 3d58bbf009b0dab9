internal import CLinux
internal import Glibc

/// The events of an IIO device, as the kernel queues them: each reports that a value has crossed a threshold.
///
/// Only one program at a time can have them. They do not need the device's node to stay open, so that the device's
/// buffer is free for others.
public struct IIOEvents: ~Copyable {
    private let queue: Descriptor

    /// The events of the device with a node, which is open only for a moment: until it is closed, nobody else can open
    /// it. `open(2)`, `ioctl(2)`
    ///
    /// Throws EBUSY if another program has the node or the events.
    public init(ofNode path: String) throws(SystemError) {
        let node = Descriptor(owning: unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC))
        guard node.number >= 0 else { throw .current("open \(path)") }
        let number = clinux_iio_events(node.number)
        guard number >= 0 else { throw .current("get the events of \(path)") }
        queue = Descriptor(owning: number)
    }

    /// Events that come from a descriptor that never blocks.
    public init(from queue: consuming Descriptor) { self.queue = queue }

    /// Readable while there are events; valid only while this value lives.
    public var descriptor: Int32 { queue.number }

    /// Takes the events that are queued; returns whether there were any. `read(2)`
    ///
    /// What is in them is not looked at: an event is a reason to read the value, which shows more.
    public func take() throws(SystemError) -> Bool {
        // As many as the kernel queues.
        var bytes = [UInt8](repeating: 0, count: 16 * Int(clinux_iio_event_bytes))
        while true {
            let count = unsafe bytes.withUnsafeMutableBytes { unsafe read(queue.number, $0.baseAddress, $0.count) }
            if count > 0 {
                guard count.isMultiple(of: Int(clinux_iio_event_bytes)) else {
                    throw SystemError("read events", code: EPROTO)
                }
                return true
            }
            if count == 0 { throw SystemError("read events", code: EPIPE) }
            let error = SystemError.current("read events")
            if error.code == EAGAIN { return false }
            if error.code != EINTR { throw error }
        }
    }
}
