internal import CLinux
internal import Glibc

/// A client's connected stream socket; never blocks, never raises SIGPIPE.
public struct UnixSocket: ~Copyable, Sendable {
    private let descriptor: Descriptor

    /// Takes over a connected socket.
    public init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }

    /// Gives up ownership: the caller closes the descriptor of this number.
    public consuming func release() -> Int32 { descriptor.release() }

    /// The descriptor's number, for the event loop.
    public var number: Int32 { descriptor.number }

    /// Sends bytes. `send(2)`
    public func send(_ bytes: Span<UInt8>) -> SendOutcome {
        outcome(Syscalls.send(descriptor.number, bytes), of: bytes)
    }

    /// Sends bytes, and has the kernel record in a ledger how many it took. `sendmmsg(2)`
    public func send(_ bytes: Span<UInt8>, notedIn ledger: Ledger, at index: Int, tag: Int64) -> SendOutcome {
        let result = unsafe ledger.withNote(at: index) {
            unsafe Syscalls.send(descriptor.number, bytes, note: $0, tag: tag)
        }
        return result.map { outcome($0, of: bytes) } ?? send(bytes)
    }

    private func outcome(_ result: Int, of bytes: Span<UInt8>) -> SendOutcome {
        if result == bytes.count { return .sent }
        if result >= 0 { return .partly(result) }
        return result == -Int(EAGAIN) ? .full : .failed(Int32(clamping: -result))
    }

    /// Reads what has arrived into a buffer. `recv(2)`
    ///
    /// A plain `recv` has no room for control messages, so the kernel drops descriptors that a stranger passes.
    public func receive(into buffer: inout [UInt8]) -> ReceiveOutcome {
        let result = unsafe buffer.withUnsafeMutableBytes { bytes in
            unsafe Syscalls.receive(descriptor.number, into: bytes)
        }
        if result > 0 { return .received(result) }
        if result == 0 { return .ended }
        return result == -Int(EAGAIN) ? .nothing : .failed(Int32(clamping: -result))
    }

    /// Sets how many bytes the kernel may hold for the peer; the kernel doubles the number for its own bookkeeping.
    /// `setsockopt(2)`
    public func setSendBuffer(bytes: Int) {
        // Beyond net.core.wmem_max the kernel takes the maximum: there is no failure to report.
        _ = clinux_set_send_buffer(descriptor.number, Int32(clamping: bytes))
    }

    /// Whether the peer has gone, even if something that it sent is still to be read. `poll(2)`
    public var hasBeenLeft: Bool { Wait.hasFailed(number) }

    /// Bytes sent that the peer has not read. `ioctl(2)` SIOCOUTQ
    public func unreadBytes() -> Int { Int(clinux_unread_bytes(descriptor.number)) }

    /// Ends the connection, even if other processes hold the socket; sent bytes can still be read. `shutdown(2)`
    public func end() { _ = shutdown(descriptor.number, Int32(SHUT_RDWR)) }

    /// The kernel's identifier of the socket, unique until reboot and the same in every process; 0 if there is none.
    /// `getsockopt(2)` SO_COOKIE
    public var cookie: UInt64 { clinux_socket_cookie(descriptor.number) }

    /// The process at the other end. `getsockopt(2)` SO_PEERCRED, SO_PEERGROUPS
    public func peer() throws(SystemError) -> Peer {
        var peer = Peer(processID: 0, userID: 0, groupID: 0)
        let result = Syscalls.peer(descriptor.number, &peer)
        guard result == 0 else { throw SystemError("getsockopt SO_PEERCRED", code: Int32(clamping: -result)) }
        peer.supplementaryGroupIDs = supplementaryGroups()
        return peer
    }

    // All supplementary groups: the kernel reports how much room they take, and a process may have 65,536. If the
    // kernel does not report them there are none, which grants no rights.
    private func supplementaryGroups() -> [UInt32] {
        var groups = [UInt32](repeating: 0, count: 32)
        while true {
            var count = Int32(groups.count)
            if unsafe clinux_peer_groups(descriptor.number, &groups, &count) == 0 {
                return Array(groups.prefix(Int(count)))
            }
            guard clinux_errno() == ERANGE, count > groups.count else { return [] }
            groups = [UInt32](repeating: 0, count: Int(count))
        }
    }
}

/// The result of a send.
public enum SendOutcome: Equatable, Sendable {
    /// All bytes are in the kernel.
    case sent
    /// Only this many bytes are in the kernel; the rest must follow before anything else.
    case partly(Int)
    /// The socket is full; no bytes were taken.
    case full
    /// The peer is gone or the socket failed, with this errno.
    case failed(Int32)
}

/// The result of a receive.
public enum ReceiveOutcome: Equatable, Sendable {
    /// This many bytes arrived.
    case received(Int)
    /// Nothing has arrived yet.
    case nothing
    /// The peer ended its stream.
    case ended
    /// The socket failed with this errno.
    case failed(Int32)
}

/// The identity of a client at the time of its `connect`.
///
/// The ids come from the kernel. A descriptor that is passed on keeps the identity of the process that connected. A
/// process id may be reused, so it is used in messages only, never for permission.
public struct Peer: Equatable, Sendable {
    /// The process that connected.
    public var processID: Int32
    /// The peer's effective user.
    public var userID: UInt32
    /// The peer's effective group.
    public var groupID: UInt32
    /// The peer's supplementary groups.
    public var supplementaryGroupIDs: [UInt32] = []

    /// Whether it is certainly of this process's user.
    public var isOfOwnUser: Bool { userID == ProcessIdentity.userID && !ProcessIdentity.isAmbiguous }

    /// All its groups.
    public var allGroupIDs: Set<UInt32> { Set(supplementaryGroupIDs).union([groupID]) }
}
