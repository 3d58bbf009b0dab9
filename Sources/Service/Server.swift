public import Platform
public import Readings
internal import Varlink

/// The loop's thread: it waits for sockets, devices and deadlines, and deals with each in turn, without locks.
///
/// What is not a connection and is waited for is a source: a descriptor and a closure.
public final class Server {
    private var loop: EventLoop
    private var ready: [ReadyDescriptor] = []
    private(set) var table = ConnectionTable()
    private var serial = 0
    private var sources: [Source] = []
    private var listeners: [Listener] = []
    private var resumable: [UInt64] = []
    private var closing: [Connection] = []
    private var received = [UInt8](repeating: 0, count: 16 * 1_024)
    private var acceptPausedUntil: BootTime?
    /// When to look which clients with full sockets have read nothing.
    private var progressCheck: BootTime?
    private var isStopping = false
    private let clock: () -> BootTime

    private struct Source {
        let number: Int32
        /// nil: no longer waited for; its place stays, since tokens count places.
        var act: ((BootTime) -> Void)?
    }

    /// How long a client may take nothing while there is something for it, before its connection is closed.
    public var stuckNanoseconds = Limits.stuckNanoseconds {
        didSet { if progressCheck != nil { watchForProgress(until: clock()) } }
    }

    /// Marks the tokens of sources.
    private static let sourceBit: UInt64 = 1 << 63

    /// A server without sockets; the clock is CLOCK_BOOTTIME.
    public init() throws(SystemError) {
        loop = try EventLoop()
        clock = { BootTime(nanoseconds: Clock.bootNanoseconds()) }
    }

    /// The open connections.
    public var connections: [Connection] { table.all }

    /// How many there are.
    public var connectionCount: Int { table.count }

    /// The connection of a token, if it is still there.
    public func connection(_ token: UInt64) -> Connection? { table[token] }

    /// Serves the clients of a listening socket.
    public func add(_ listener: Listener) throws(SystemError) {
        try watch(listener.socket.number) { [unowned self] now in accept(from: listener, now) }
        listeners.append(listener)
    }

    /// Acts whenever a descriptor is readable, or what else it is waited for.
    public func watch(
        _ number: Int32, for interest: EventLoop.Interest = .read, _ act: @escaping (BootTime) -> Void
    ) throws(SystemError) {
        try loop.add(number, interest, token: Self.sourceBit | UInt64(sources.count))
        sources.append(Source(number: number, act: act))
    }

    /// No longer waits for a descriptor.
    public func unwatch(_ number: Int32) {
        guard let index = sources.lastIndex(where: { $0.number == number && $0.act != nil }) else { return }
        loop.remove(number)
        sources[index].act = nil
    }

    /// Serves until `stop`; the scheduled one is asked for its deadline before each wait and told of the end of each turn.
    public func run(_ scheduled: (any Scheduled)? = nil) throws(SystemError) {
        while !isStopping {
            try loop.wait(nanoseconds: patience(scheduled), into: &ready) { isReadingBehind }
            let now = clock()
            for index in ready.indices { act(on: ready[index], now) }
            serveResumed(now)
            if let until = acceptPausedUntil, now >= until { continueAccepting(now) }
            if let check = progressCheck, now >= check { closeStuck(now) }
            scheduled?.turnDidEnd(now: now)
            buryClosed(now)
        }
        tearDown()
    }

    /// Whether a client has not read yet what it was sent: time whose pauses are left out waits for it.
    private var isReadingBehind: Bool { table.all.contains { $0.queuedBytes > 0 } }

    /// Ends `run` after this turn.
    public func stop() { isStopping = true }

    /// Closes a connection at the end of the turn, when nobody is in the middle of sending to it; its handler is told then.
    public func close(_ connection: Connection) {
        guard connection.phase != .closing else { return }
        connection.phase = .closing
        loop.remove(connection.socket.number)
        closing.append(connection)
    }

    /// Tells epoll what the connection waits for, if that has changed.
    func rearm(_ connection: Connection) {
        guard connection.phase != .closing, connection.wanted != connection.armed else { return }
        connection.armed = connection.wanted
        do {
            try loop.change(connection.socket.number, connection.wanted, token: connection.token)
        } catch {
            close(connection)
        }
    }

    /// A client's socket is full: by then it must have read something.
    func watchForProgress(until instant: BootTime) { progressCheck = BootTime.earlier(progressCheck, instant) }

    private func closeStuck(_ now: BootTime) {
        progressCheck = nil
        for connection in table.all {
            guard let since = connection.stuckSince(now: now) else { continue }
            if now - since >= stuckNanoseconds {
                connection.handler.didGetStuck(connection, now: now)
                close(connection)
            } else {
                // Looked at now and then, since nothing tells when the client reads a little.
                watchForProgress(until: min(since + stuckNanoseconds, now + stuckNanoseconds / 6))
            }
        }
    }

    /// Calls may be queued behind the one that was just answered: they are served at the end of the turn.
    func resume(_ connection: Connection) { resumable.append(connection.token) }

    /// Closes what is open and removes the sockets' paths; also breaks the circle of server and handlers.
    private func tearDown() {
        table.removeAll()
        sources.removeAll()
        listeners.removeAll()
    }

    private func patience(_ scheduled: (any Scheduled)?) -> Int64? {
        guard resumable.isEmpty else { return 0 }
        let own = BootTime.earlier(acceptPausedUntil, progressCheck)
        guard let deadline = BootTime.earlier(scheduled?.deadline, own) else { return nil }
        return max(0, deadline - clock())
    }

    private func act(on event: ReadyDescriptor, _ now: BootTime) {
        guard event.token & Self.sourceBit == 0 else {
            let index = Int(truncatingIfNeeded: event.token & ~Self.sourceBit)
            sources[index].act?(now)
            return
        }
        guard let connection = connection(event.token) else { return }
        if event.isWritable { drain(connection, now) }
        if event.isReadable { receive(connection, now) } else if event.isHungUp { close(connection) }
    }

    // MARK: one connection

    private func receive(_ connection: Connection, _ now: BootTime) {
        guard connection.phase == .ready else { return }
        switch connection.socket.receive(into: &received) {
        case .received(let count):
            connection.framer.append(contentsOf: received[..<count])
        case .nothing: return
        case .ended: connection.inputEnded = true
        case .failed: return close(connection)
        }
        serve(connection, now)
    }

    private func drain(_ connection: Connection, _ now: BootTime) {
        guard connection.flush(now: now) else { return }
        if connection.phase == .busy { connection.handler.didDrain(connection, now: now) }
        serve(connection, now)
    }

    /// Answers the calls that are there, one after the other, until one takes time or its reply does not fit.
    private func serve(_ connection: Connection, _ now: BootTime) {
        while connection.phase == .ready, !connection.hasUnsent {
            do {
                guard let message = try connection.framer.next() else { break }
                let call = try Call(parsing: message)
                answer(call, from: connection, now)
            } catch {
                // There is no reply to what is not a call.
                return close(connection)
            }
        }
        if connection.inputEnded, connection.phase == .ready, !connection.hasUnsent { return close(connection) }
        rearm(connection)
    }

    private func answer(_ call: Call, from connection: Connection, _ now: BootTime) {
        var writer = JSONWriter(capacity: 1_024)
        if !connection.handler.information.answer(call, into: &writer) {
            do throws(VarlinkError) {
                try connection.handler.answer(call, from: connection, now: now, into: &writer)
            } catch {
                writer.removeAll()
                writer.reply(error)
            }
        }
        if call.mode != .oneway, !writer.bytes.isEmpty { connection.reply(writer.bytes, now: now) }
    }

    private func buryClosed(_ now: BootTime) {
        while let connection = closing.popLast() {
            table.remove(connection)
            connection.handler.didClose(connection, now: now)
            if acceptPausedUntil != nil { continueAccepting(now) }
        }
    }

    private func serveResumed(_ now: BootTime) {
        let tokens = resumable
        resumable.removeAll(keepingCapacity: true)
        for token in tokens { if let connection = connection(token) { serve(connection, now) } }
    }

    // MARK: new connections

    private func accept(from listener: Listener, _ now: BootTime) {
        // A bounded number a turn: a flood of connects must not hold up the streams.
        for _ in 0..<64 {
            switch listener.socket.accept() {
            case .client(let socket): admit(socket, listener.handler, now: now)
            case .nobody: return
            case .exhausted: return pauseAccepting(now)
            }
        }
    }

    /// Serves a client whose socket came some other way than through a listener.
    public func admit(_ socket: consuming UnixSocket, _ handler: any CallHandler, now: BootTime) {
        guard let peer = try? socket.peer() else { return }
        serial += 1
        let token = table.makeToken()
        let number = socket.number
        let connection = Connection(
            token: token, serial: serial, peer: peer, socket: socket, handler: handler, server: self, now: now)
        // Without memory for one more, this one is turned away; its socket closes with it.
        guard (try? loop.add(number, .read, token: token)) != nil else { return }
        table.insert(connection)
    }

    /// Out of descriptors: those who wait stay in the backlog, and the loop does not spin.
    private func pauseAccepting(_ now: BootTime) {
        acceptPausedUntil = now + Limits.acceptPauseNanoseconds
        for listener in listeners { loop.remove(listener.socket.number) }
    }

    private func continueAccepting(_ now: BootTime) {
        acceptPausedUntil = nil
        for (index, source) in sources.enumerated()
        where listeners.contains(where: { $0.socket.number == source.number }) {
            // Taken out first: a try before this one may have added it.
            loop.remove(source.number)
            // Adding back what was there a moment ago fails only without memory, and is then tried again.
            guard (try? loop.add(source.number, .read, token: Self.sourceBit | UInt64(index))) != nil else {
                acceptPausedUntil = now + Limits.acceptPauseNanoseconds
                continue
            }
        }
    }
}
