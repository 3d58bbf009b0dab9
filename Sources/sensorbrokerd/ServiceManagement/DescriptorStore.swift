internal import CSystemd
internal import Glibc
internal import Platform

/// Where the service manager keeps descriptors for the next process of this service. `sd_pid_notify_with_fds(3)`
///
/// They come back among the passed sockets, by their names, as long as they stay in the store. A socket whose other end is
/// gone is taken out by the service manager itself.
struct DescriptorStore: Sendable {
    /// How many descriptors it takes.
    let capacity: Int

    private let path: String

    /// Beyond what any process has open, and far from where products overflow.
    private static let mostDescriptors = 1 << 20
    /// No more go with one message: the kernel takes 253.
    private static let chunk = 250
    /// How long the service manager is waited for.
    private static let patienceMilliseconds: Int32 = 3_000

    /// The store that the environment names; nil where there is none.
    ///
    /// `$FDSTORE` is set by systemd since its version 254, and for older ones by our unit.
    init?() {
        guard let path = unsafe getenv("NOTIFY_SOCKET"), let text = unsafe getenv("FDSTORE"),
            let capacity = Int(unsafe String(cString: text)), capacity > 0
        else { return nil }
        self.capacity = min(capacity, Self.mostDescriptors)
        self.path = unsafe String(cString: path)
    }

    /// Hands descriptors to the store, which holds duplicates of them.
    ///
    /// While the service manager is busy it waits, for some seconds at most; or, told not to, fails with EAGAIN. `sendmsg(2)`
    func add(_ numbers: [Int32], name: String, waits: Bool) throws(SystemError) {
        var rest = numbers[...]
        while !rest.isEmpty {
            let some = Array(rest.prefix(Self.chunk))
            rest = rest.dropFirst(Self.chunk)
            try send("FDSTORE=1\nFDNAME=\(name)", some, waits)
        }
    }

    /// Takes all descriptors of a name out of the store; waits as `add` does. `sendmsg(2)`
    func remove(_ name: String, waits: Bool) throws(SystemError) {
        try send("FDSTOREREMOVE=1\nFDNAME=\(name)", [], waits)
    }

    private func send(_ text: String, _ numbers: [Int32], _ waits: Bool) throws(SystemError) {
        try ServiceNotification.send(
            text, with: numbers, to: path, waitingMilliseconds: waits ? Self.patienceMilliseconds : 0)
    }

    /// Waits until the service manager has done all that it was asked for. `sd_notify_barrier(3)`
    func wait() throws(SystemError) {
        let result = sd_notify_barrier(0, UInt64(Self.patienceMilliseconds) * 1_000)
        guard result > 0 else {
            throw SystemError("wait for the store of descriptors", code: result < 0 ? -result : ENOTCONN)
        }
    }
}
