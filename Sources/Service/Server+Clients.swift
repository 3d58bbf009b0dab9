internal import Admission
internal import Delivery
public import Platform
public import Readings
internal import Varlink

/// How clients come in.
extension Server {
    ///
    /// The last time that a socket is heard there is no other turn for those who wait.
    func accept(from listener: Listener, isLast: Bool = false, _ now: BootTime) {
        // A bounded number a turn: a flood of connects must not hold up the streams.
        let begin = clock()
        defer { connectShare.take(clock() - begin, now: now) }
        for _ in 0..<Limits.acceptsPerTurn {
            if !isLast {
                guard !hasStreams || connectShare.opensAt <= now else {
                    return pauseAccepting(until: connectShare.opensAt)
                }
                guard clock() - begin < Limits.callTurnNanoseconds / 2 else { return }
            }
            switch listener.socket.accept() {
            case .client(let socket): admit(socket, listener.handler, now: now)
            case .nobody: return
            case .exhausted(let code): return pauseAccepting(code, now)
            }
        }
    }

    /// Serves a client whose socket came some other way than through a listener, if its user may have one more.
    public func admit(_ socket: consuming UnixSocket, _ handler: any CallHandler, now: BootTime) {
        guard let peer = try? socket.peer() else { return }
        let caller = Caller(userID: peer.userID, isAdministrating: handler.door == .administrators)
        charge(caller, isTrusted: peer.isAdministrator, calls: 1, nanoseconds: 0, now: now)
        let quota = quotas.connections(for: handler.door)
        guard let charge = quota.charge(1, to: peer.userID, isTrusted: peer.isAdministrator) else {
            return turnAway(socket, peer, handler.door, limit: quota.bound(isTrusted: peer.isAdministrator), now)
        }
        guard let connection = add(socket, peer, charge, handler, serial: serial + 1, since: now, now) else { return }
        connection.setSendBuffer(bytes: Limits.leastQueuedBytes)
    }

    /// Goes on with a client that another process has admitted, by its number; nil where that cannot be.
    ///
    /// What it was granted is not taken back because others have come since. It may be in the middle of a message, so one that
    /// is turned away gets no error, only the end.
    func readmit(
        _ socket: consuming UnixSocket, _ handler: any CallHandler, serial: Int, since: BootTime, now: BootTime
    ) -> Connection? {
        guard let peer = try? socket.peer(),
            let charge = quotas.connections(for: handler.door).charge(1, to: peer.userID, isTrusted: true)
        else {
            socket.end()
            return nil
        }
        return add(socket, peer, charge, handler, serial: serial, since: since, now)
    }

    private func add(
        _ socket: consuming UnixSocket, _ peer: Peer, _ charge: consuming Charge, _ handler: any CallHandler,
        serial: Int, since: BootTime, _ now: BootTime
    ) -> Connection? {
        self.serial = max(self.serial, serial)
        let token = table.makeToken()
        let number = socket.number
        let connection = Connection(
            token: token, serial: serial, since: since, peer: peer, socket: socket, charge: charge, handler: handler,
            server: self, now: now)
        // Without memory for one more, this one is turned away; its socket closes with it.
        guard (try? loop.add(number, .read, token: Awaited.connection(token).bits)) != nil else {
            connection.socket.end()
            return nil
        }
        table.insert(connection)
        return connection
    }

    /// One typed error, which a client takes for the answer to its first call, and the end.
    private func turnAway(
        _ socket: consuming UnixSocket, _ peer: Peer, _ door: Door, limit: Int, _ now: BootTime
    ) {
        var writer = JSONWriter(capacity: 128)
        writer.reply(limit > 0 ? door.tooManyConnections(limit: limit) : .permissionDenied)
        _ = socket.send(writer.bytes.span)
        // In a crowd of them nobody stays.
        if turnedAway.count < Limits.turnedAway {
            turnedAway.append(TurnedAway(socket, closesAt: now + Limits.turnedAwayNanoseconds))
        }
        let who = "process \(peer.processID) of user \(peer.userID)"
        let words = "\(who) is turned away: it may have no more than \(limit) connections, or its share of what is left"
        log.write(.connections(user: peer.userID), .warning, words, now: now)
    }

    /// Those who were turned away first go first.
    func closeTurnedAway(_ now: BootTime) {
        turnedAway.removeFirst(turnedAway.firstIndex { $0.closesAt > now } ?? turnedAway.count)
    }

    /// Out of descriptors: those who wait stay in the backlog, and the loop does not spin.
    private func pauseAccepting(_ code: Int32, _ now: BootTime) {
        isOutOfDescriptors = true
        pauseAccepting(until: now + Limits.acceptPauseNanoseconds)
        let words = "new clients have to wait until others go: \(SystemError("accept4", code: code))"
        log.write(.descriptors, .warning, words, now: now)
    }

    private func pauseAccepting(until instant: BootTime) {
        acceptPausedUntil = instant
        for listener in listeners { loop.remove(listener.socket.number) }
    }

    func continueAccepting(_ now: BootTime) {
        acceptPausedUntil = nil
        isOutOfDescriptors = false
        for (index, source) in sources.enumerated()
        where listeners.contains(where: { $0.socket.number == source.number }) {
            // Taken out first: a try before this one may have added it.
            loop.remove(source.number)
            // Adding back what was there a moment ago fails only without memory, and is then tried again.
            guard (try? loop.add(source.number, .read, token: Awaited.source(index).bits)) != nil else {
                acceptPausedUntil = now + Limits.acceptPauseNanoseconds
                continue
            }
        }
    }
}

/// A client that could not be let in, and has been told so.
///
/// Its socket stays open for a moment: most clients send their call before they read, and closed at once they would get
/// EPIPE for it and never see the word.
final class TurnedAway {
    let closesAt: BootTime
    private let socket: UnixSocket

    init(_ socket: consuming UnixSocket, closesAt: BootTime) {
        self.socket = socket
        self.closesAt = closesAt
    }
}
