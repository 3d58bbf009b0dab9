internal import CLinux
internal import Glibc

/// A lock for the whole host: a listening socket with an abstract name, held as long as this value lives.
///
/// A lock file only excludes processes that use the same directory. This lock excludes all processes in the network
/// namespace, whatever their user, runtime directory and mounts, and needs no directory. The kernel releases it however the
/// process ends. Any user can take any name but cannot hide: the kernel reports who listens, so another process can check
/// whether the holder has a right to the resource.
///
/// To find the holder, a process connects to the socket, which needs room in its backlog. Anybody can fill the backlog, so a
/// thread accepts and closes connections. It pauses after each one, so that a flood of connections costs little.
public struct HostLock: ~Copyable, Sendable {
    private let door: Door

    /// How long to wait for room in a holder's backlog.
    ///
    /// The holder takes a millisecond for each connection in it.
    private static let connectMilliseconds: Int32 = 300

    /// Takes the lock of a name.
    public init(_ name: String) throws(LockFailure) {
        let number = unsafe clinux_listen_abstract(name)
        guard number >= 0 else {
            let error = SystemError.current("bind @\(name)")
            guard error.code == EADDRINUSE else { throw .system(error) }
            throw .taken(name: "@\(name)", by: Self.holder(of: name))
        }
        do throws(SystemError) { door = try Door(Descriptor(owning: number)) } catch { throw .system(error) }
    }

    deinit { door.close() }

    /// The peer that holds a lock, as the kernel reports it; nil if nobody holds it, or the backlog stays full. `connect(2)`
    public static func holder(of name: String) -> Peer? {
        let number = unsafe clinux_connect_abstract(name, connectMilliseconds)
        guard number >= 0 else { return nil }
        return try? UnixSocket(Descriptor(owning: number)).peer()
    }
}

/// The listener, and the thread that empties its backlog and closes it.
private final class Door: Sendable {
    private let listener: Int32
    private let isClosed: WakeEvent

    private static let pauseMicroseconds: UInt32 = 1_000

    init(_ descriptor: consuming Descriptor) throws(SystemError) {
        isClosed = try WakeEvent()
        listener = descriptor.number
        try Thread.start(name: "lock") { self.answer() }
        _ = descriptor.release()
    }

    /// Releases the name.
    ///
    /// It is free once its last descriptor is closed, so this waits for the thread. `shutdown(2)`
    func close() {
        shutdown(listener, Int32(SHUT_RDWR))
        _ = Wait.untilReadable(isClosed.descriptor, nanoseconds: nil)
    }

    /// Accepts and closes connections until `shutdown` makes `accept` fail with EINVAL. `accept(2)`
    private func answer() {
        while true {
            let number = clinux_accept(listener)
            if number >= 0 {
                _ = Descriptor(owning: number)
            } else if clinux_errno() == EINVAL {
                break
            }
            usleep(Self.pauseMicroseconds)
        }
        _ = Descriptor(owning: listener)
        isClosed.ring()
    }
}
