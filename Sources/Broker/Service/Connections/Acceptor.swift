internal import Admission
public import Platform
internal import Readings

/// Accepts clients at the listening sockets, as many as time and descriptors allow.
///
/// A flood of connects must not hold up the streams: a turn accepts a bounded number, and while there are streams,
/// connects have a share of the loop's time. Clients for whom there is no time, or no descriptor, stay in the kernel's
/// backlog.
final class Acceptor {
    /// Takes in a client that has connected.
    typealias Admit = (consuming UnixSocket, BootTime) -> Void

    private struct Entrance {
        let listener: Listener
        let admit: Admit
    }

    private let sources: EventSources
    private let log: RationedJournal
    private let clock: () -> BootTime
    private let hasStreams: () -> Bool
    private var entrances: [Entrance] = []
    private var share = TimeShare(percent: Limits.connectPercent, burstNanoseconds: Limits.burstNanoseconds)
    private var pausedUntil: BootTime?
    /// The pause is due to a lack of descriptors, not of time.
    private var lacksDescriptors = false

    init(
        _ sources: EventSources, _ log: RationedJournal, clock: @escaping () -> BootTime,
        hasStreams: @escaping () -> Bool
    ) {
        self.sources = sources
        self.log = log
        self.clock = clock
        self.hasStreams = hasStreams
    }

    /// Accepts the clients of a listening socket from now on.
    func add(_ listener: Listener, _ admit: @escaping Admit) throws(SystemError) {
        let entrance = Entrance(listener: listener, admit: admit)
        try sources.watch(listener.socket.number, for: .read) { [unowned self] now in accept(at: entrance, now) }
        entrances.append(entrance)
    }

    var deadline: BootTime? { pausedUntil }

    func resume(_ now: BootTime) {
        pausedUntil = nil
        lacksDescriptors = false
        for entrance in entrances {
            do throws(SystemError) { try sources.resume(entrance.listener.socket.number) } catch {
                // Resuming a descriptor that was watched before fails only for lack of memory: it is tried again.
                pausedUntil = now + Limits.acceptPauseNanoseconds
            }
        }
    }

    /// Connections have ended: there may be descriptors again.
    func descriptorsWereFreed(_ now: BootTime) {
        assert(!lacksDescriptors || pausedUntil != nil, "a pause without an end")
        if lacksDescriptors { resume(now) }
    }

    func close() { entrances.removeAll() }

    /// Accepts clients in this turn.
    ///
    /// A socket that is given up has no other turn for its last clients: they are accepted regardless of time.
    private func accept(at entrance: Entrance, isLast: Bool = false, _ now: BootTime) {
        let begin = clock()
        defer { share.take(clock() - begin, now: now) }
        for _ in 0..<Limits.acceptsPerTurn {
            if !isLast {
                guard !hasStreams() || share.opensAt <= now else { return pause(until: share.opensAt) }
                guard clock() - begin < Limits.callTurnNanoseconds / 2 else { return }
            }
            switch entrance.listener.socket.accept() {
            case .client(let socket): entrance.admit(socket, now)
            case .nobody: return
            case .exhausted(let code): return pause(forWantOfDescriptors: code, now)
            }
        }
    }

    /// Without the pause the loop would spin, since the socket stays ready.
    private func pause(forWantOfDescriptors code: Int32, _ now: BootTime) {
        lacksDescriptors = true
        pause(until: now + Limits.acceptPauseNanoseconds)
        let words = "new clients must wait until others leave: \(SystemError("accept4", code: code))"
        log.write(.descriptors, .warning, words, now: now)
    }

    private func pause(until instant: BootTime) {
        pausedUntil = instant
        for entrance in entrances { sources.pause(entrance.listener.socket.number) }
    }

    // MARK: lost paths

    /// Restores the sockets whose paths were removed; returns all that were not at their paths.
    func restoreSockets(_ now: BootTime) -> [Listener.LostPlace] {
        entrances.compactMap { entrance in
            let listener = entrance.listener
            guard let path = listener.socket.path else { return nil }
            switch listener.socket.pathState {
            case .inPlace: return nil
            case .replaced: return .taken(path: path)
            case .vanished where !listener.socket.isOwn: return .managers(path: path)
            case .vanished:
                do throws(SystemError) {
                    try renew(entrance, now)
                    return .restored(path: path)
                } catch { return .failed(error) }
            }
        }
    }

    private func renew(_ entrance: Entrance, _ now: BootTime) throws(SystemError) {
        let listener = entrance.listener
        // Clients in the old socket's backlog are served first.
        if pausedUntil == nil { accept(at: entrance, isLast: true, now) }
        let former = listener.socket.number
        // If this fails, the loop still watches the old socket. If it succeeds, the old socket is closed, which ends
        // the watch.
        try listener.renew()
        sources.replace(former, with: listener.socket.number)
        if pausedUntil == nil { try sources.resume(listener.socket.number) }
    }
}

/// A listening socket, and the handler that answers the calls of its clients.
public final class Listener {
    private(set) var socket: ListeningSocket
    let handler: any CallHandler

    /// Calls that come through this socket go to this handler.
    public init(_ socket: consuming ListeningSocket, _ handler: any CallHandler) {
        self.socket = socket
        self.handler = handler
    }

    /// Replaces its socket, whose path was removed, with a new one at the same path.
    func renew() throws(SystemError) { socket = try socket.boundAnew() }
}

extension Listener {
    /// The outcome for a socket that is no longer at its path.
    public enum LostPlace {
        /// The socket's path was removed, and a new socket is there now.
        case restored(path: String)
        /// The socket's path was removed, and only the service manager can restore it.
        case managers(path: String)
        /// Another file is at its path.
        case taken(path: String)
        /// The socket's path was removed, and cannot be restored.
        case failed(SystemError)
    }
}
