internal import CSystemd
internal import Glibc
public import Platform

/// Where the service manager keeps descriptors for the next process of this service. `sd_pid_notify_with_fds(3)`
///
/// They come back among the passed sockets, by their names, as long as they stay in the store. A socket whose other end is
/// gone is taken out by the service manager itself.
public struct DescriptorStore: Sendable {
    /// How many descriptors it takes.
    public let capacity: Int

    /// No more go with one message: the kernel takes 253.
    private static let chunk = 250
    /// How long the service manager is waited for.
    private static let barrierMicroseconds: UInt64 = 3_000_000

    /// The store that the environment names; nil where there is none.
    ///
    /// `$FDSTORE` is set by systemd since its version 254, and for older ones by our unit.
    public init?() {
        guard unsafe getenv("NOTIFY_SOCKET") != nil, let text = unsafe getenv("FDSTORE"),
            let capacity = Int(unsafe String(cString: text)), capacity > 0
        else { return nil }
        self.capacity = capacity
    }

    /// Hands descriptors to the store, which holds duplicates of them.
    public func add(_ numbers: [Int32], name: String) throws(SystemError) {
        var rest = numbers[...]
        while !rest.isEmpty {
            let some = Array(rest.prefix(Self.chunk))
            rest = rest.dropFirst(Self.chunk)
            try Self.check(
                unsafe sd_pid_notify_with_fds(0, 0, "FDSTORE=1\nFDNAME=\(name)", some, UInt32(some.count)), "store")
        }
    }

    /// Takes all descriptors of a name out of the store.
    public func remove(_ name: String) throws(SystemError) {
        try Self.check(unsafe sd_notify(0, "FDSTOREREMOVE=1\nFDNAME=\(name)"), "empty the store of")
    }

    /// Waits until the service manager has done all that it was asked for. `sd_notify_barrier(3)`
    public func wait() throws(SystemError) {
        try Self.check(sd_notify_barrier(0, Self.barrierMicroseconds), "wait for the service manager with")
    }

    private static func check(_ result: Int32, _ purpose: String) throws(SystemError) {
        guard result > 0 else { throw SystemError("\(purpose) descriptors", code: result < 0 ? -result : ENOTCONN) }
    }
}
