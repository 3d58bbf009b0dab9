internal import Glibc
internal import Platform

/// The character device of an IIO device, which only one program may have open.
///
/// libiio switches a running buffer off before it finds out that the device is in use, and so kills the stream of whoever
/// had it. Opening the node first asks the kernel without touching anything.
enum DeviceNode {
    /// Whether the kernel has an IIO bus. `access(2)`
    static var hasBus: Bool { unsafe access("/sys/bus/iio", F_OK) == 0 }

    /// Throws EBUSY where another program has the device; returns false where there is no node, as for devices that
    /// have no buffer. `open(2)`
    static func isFree(deviceID: String) throws(SystemError) -> Bool {
        let path = "/dev/\(deviceID)"
        let number = unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard number >= 0 else {
            let error = SystemError.current("open \(path)")
            if error.code == ENOENT { return false }
            throw error
        }
        _ = Descriptor(owning: number)
        return true
    }
}
