internal import CLinux

extension ServiceNotification {
    /// Tells the service manager at a path of something that it needs descriptors for, at most 250; they stay the caller's.
    ///
    /// While it is busy, waits at most so many milliseconds and then fails with EAGAIN. `sendmsg(2)`
    public static func send(
        _ text: String, with numbers: [Int32], to path: String, waitingMilliseconds: Int32
    ) throws(SystemError) {
        let count = Int32(clamping: numbers.count)
        guard unsafe clinux_notify_descriptors(path, text, numbers, count, waitingMilliseconds) == 0 else {
            throw .current("tell the service manager of descriptors")
        }
    }
}
