internal import Platform
internal import Readings

/// A client's socket, to which whole messages go: none blocks, and what it does not take of one is held.
///
/// The kernel's buffer of the socket is the client's queue. This process holds no more than the unsent rest of one streamed message,
/// and replies behind it.
struct ClientSocket: ~Copyable {
    /// What became of a message.
    enum Outcome {
        /// The socket has all of it.
        case taken
        /// A part of it, or all, is held: it goes out before anything else.
        case held
        /// The socket is full: nothing was taken, and nothing is held.
        case full
        case failed
    }

    let socket: UnixSocket
    let outbox: Outbox
    private let observer: ConnectionObserver

    init(_ socket: consuming UnixSocket, _ observer: ConnectionObserver, now: BootTime) {
        self.socket = socket
        self.observer = observer
        outbox = Outbox(now: now)
    }

    /// Bytes sent to the client that it has not read, including those in the kernel.
    var queuedBytes: Int { outbox.bytes.count + socket.unreadBytes() }

    /// Since when the client has read nothing although its socket is full; nil: the socket is not full.
    func stuckSince(now: BootTime) -> BootTime? {
        guard outbox.blockedSince != nil else { return nil }
        return outbox.stuckSince(unreadBytes: socket.unreadBytes(), now: now)
    }

    /// Sends a message, or holds what the socket does not take of it.
    func post(_ message: Span<UInt8>, now: BootTime) -> Outcome {
        guard outbox.bytes.isEmpty else { return hold(message) }
        let outcome = offer(message, now: now)
        if case .full = outcome { return hold(message) }
        return outcome
    }

    /// Sends a message if the socket takes it now, at least in part; no bytes are held, and the socket has room as far as is known.
    @inline(__always)
    func offer(_ message: Span<UInt8>, now: BootTime) -> Outcome {
        switch observer.send(message, over: socket) {
        case .sent:
            outbox.didSend(now: now)
            return .taken
        case .partly(let count): return hold(message.extracting(count...))
        case .full: return .full
        case .failed: return .failed
        }
    }

    /// Holds bytes until the socket has room.
    func hold(_ rest: Span<UInt8>) -> Outcome {
        outbox.append(rest)
        return .held
    }

    /// The socket has room again: sends what is held, of which the rest may still be held.
    func flush(now: BootTime) -> Outcome {
        if !outbox.bytes.isEmpty {
            let rest = outbox.bytes
            switch observer.send(rest.span, over: socket) {
            case .sent: outbox.didSend(rest.count, now: now)
            case .partly(let count): outbox.didSend(count, now: now)
            case .full: return .full
            case .failed: return .failed
            }
        }
        guard outbox.bytes.isEmpty else { return .held }
        outbox.didUnblock()
        return .taken
    }

    /// The socket was found full: returns whether it was not known to be.
    func block(now: BootTime) -> Bool {
        observer.mark(.amidMessage)
        guard outbox.blockedSince == nil else { return false }
        outbox.didBlock(unreadBytes: socket.unreadBytes(), now: now)
        return true
    }
}
