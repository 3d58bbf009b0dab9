internal import CLinux
internal import Glibc

/// A lock for the whole host: a listening socket with an abstract name, held as long as this value lives.
///
/// A lock file only excludes processes that use the same directory. This lock excludes all processes in the network
/// namespace, whatever their user, runtime directory and mounts, and needs no directory. The kernel releases it however
/// the process ends.
///
/// Any user can take any name, so another process must find out who holds it, to see whether that user has a right to.
/// The kernel offers two sources:
///
/// - A connection to the socket gives process, user and groups, but needs room in the backlog. So a thread accepts and
///   closes connections, with a pause after each one, so that a flood of them costs little. But anybody can fill a
///   backlog: a stranger could fill that of a legitimate holder, so that the lock is ignored, and a holder without
///   rights could fill its own, so that it is not identified.
///
/// - The kernel's list of sockets gives the user alone, but needs no cooperation. It decides when the backlog is full.
/// The groups are then those of the host's database, so a user with rights must be listed there.
///
/// So neither trick works: a legitimate holder keeps the lock, and one without rights is identified. Only if the list
/// cannot be read (a kernel without CONFIG_UNIX_DIAG, a sandbox without netlink) is the holder of a full backlog
/// unknown. Then the lock counts as held, and the message states how to find the holder: a second owner would silently
/// harm both, while a refusal is seen and can be dealt with.
public struct HostLock: ~Copyable, Sendable {
    private let listener: Listener

    /// How long to wait for room in a holder's backlog.
    ///
    /// The holder takes a millisecond for each connection in it.
    private static let connectMilliseconds: Int32 = 300
    /// How often to try a name that seems to be both taken and free because its holder is just exiting.
    private static let attempts = 3

    /// Takes the lock with a name.
    public init(_ name: String) throws(LockFailure) {
        let number = try Self.listen(name)
        do throws(SystemError) { listener = try Listener(Descriptor(owning: number)) } catch { throw .system(error) }
    }

    deinit { listener.close() }

    private static func listen(_ name: String) throws(LockFailure) -> Int32 {
        for _ in 0..<attempts {
            let number = unsafe clinux_listen_abstract(name)
            if number >= 0 { return number }
            let error = SystemError.current("bind @\(name)")
            guard error.code == EADDRINUSE else { throw .system(error) }
            if let holder = holder(of: name) { throw .taken(name: "@\(name)", by: holder) }
        }
        throw .taken(name: "@\(name)", by: .unknown)
    }

    /// The holder of a lock, as the kernel reports it; nil if there is none. `connect(2)`, `sock_diag(7)`
    public static func holder(of name: String) -> LockHolder? {
        let number = unsafe clinux_connect_abstract(name, connectMilliseconds)
        if number >= 0, let peer = try? UnixSocket(Descriptor(owning: number)).peer() { return .peer(peer) }
        if number < 0, clinux_errno() == ECONNREFUSED { return nil }
        var user: UInt32 = 0
        if unsafe clinux_abstract_owner(name, &user) == 0 { return .user(user) }
        return clinux_errno() == ENOENT ? nil : .unknown
    }
}

/// What is known of the process that holds a lock.
public enum LockHolder: Equatable, Sendable {
    /// The holder's process, user and groups.
    case peer(Peer)
    /// The holder's user only: it does not accept connections, or its backlog is full.
    case user(UInt32)
    /// Nothing, except that it holds the lock.
    case unknown
}

/// The listener, and the thread that empties its backlog and closes it.
private final class Listener: Sendable {
    private let listener: Int32
    private let isClosing: WakeEvent
    private let isClosed: WakeEvent

    private static let pauseNanoseconds: Int64 = 1_000_000

    init(_ descriptor: consuming Descriptor) throws(SystemError) {
        isClosing = try WakeEvent()
        isClosed = try WakeEvent()
        listener = descriptor.number
        try Thread.start(name: "lock") { self.answer() }
        _ = descriptor.release()
    }

    /// Releases the name.
    ///
    /// It is free once its last descriptor is closed, so this waits for the thread, which does nothing that takes time.
    /// `shutdown(2)`
    func close() {
        isClosing.signal()
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
            if Wait.untilReadable(isClosing.descriptor, nanoseconds: Self.pauseNanoseconds).first { break }
        }
        _ = Descriptor(owning: listener)
        isClosed.signal()
    }
}
