internal import CSystemd
internal import Glibc
internal import Platform

/// The service manager's store of descriptors for the next process of this service. `sd_pid_notify_with_fds(3)`
///
/// Stored descriptors are passed to the next process with their names. The service manager itself removes a socket
/// whose peer has gone.
struct DescriptorStore: Sendable {
    /// How many descriptors it can hold.
    let capacity: Int

    private let path: String

    /// More than any process can have, and small enough for arithmetic.
    private static let mostDescriptors = 1 << 20
    /// The most descriptors in a message; the kernel's limit is 253.
    private static let chunk = 250
    /// How long to wait for the service manager.
    private static let patienceMilliseconds: Int32 = 3_000

    /// The store named by the environment; nil if there is none.
    ///
    /// systemd sets `$FDSTORE` since version 254; for older versions our unit does.
    init?() {
        guard let path = EnvironmentVariable.value("NOTIFY_SOCKET"),
            let capacity = EnvironmentVariable.value("FDSTORE").flatMap({ Int($0) }), capacity > 0
        else { return nil }
        self.capacity = min(capacity, Self.mostDescriptors)
        self.path = path
    }

    /// Adds duplicates of descriptors to the store.
    ///
    /// If the service manager is busy, it waits for up to some seconds, or with `waits` false fails with EAGAIN.
    /// `sendmsg(2)`
    func add(_ numbers: [Int32], name: String, waits: Bool) throws(SystemError) {
        var rest = numbers[...]
        while !rest.isEmpty {
            let some = Array(rest.prefix(Self.chunk))
            rest = rest.dropFirst(Self.chunk)
            try send("FDSTORE=1\nFDNAME=\(name)", some, waits)
        }
    }

    /// Removes all descriptors of a name; waits as `add` does. `sendmsg(2)`
    func remove(_ name: String, waits: Bool) throws(SystemError) {
        try send("FDSTOREREMOVE=1\nFDNAME=\(name)", [], waits)
    }

    private func send(_ text: String, _ numbers: [Int32], _ waits: Bool) throws(SystemError) {
        try ServiceNotification.send(
            text, with: numbers, to: path, waitingMilliseconds: waits ? Self.patienceMilliseconds : 0)
    }

    /// Waits until the service manager has handled all messages. `sd_notify_barrier(3)`
    func wait() throws(SystemError) {
        let result = sd_notify_barrier(0, UInt64(Self.patienceMilliseconds) * 1_000)
        guard result > 0 else {
            throw SystemError("wait for the store of descriptors", code: result < 0 ? -result : ENOTCONN)
        }
    }
}
