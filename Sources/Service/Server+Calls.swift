internal import Delivery
internal import Platform
internal import Readings
internal import Varlink

/// How calls come in: each client's in turn, at a pace, and never so many at once that the streams would wait for them.
///
/// A client that makes more calls than that is not read until it may make the next one: what it sends waits in its own
/// socket. It gets no errors for it, which would only be more to send.
extension Server {
    func receive(_ connection: Connection, _ now: BootTime) {
        guard connection.phase == .ready, !connection.isHeld else { return }
        switch connection.socket.receive(into: &received) {
        case .received(let count): connection.framer.append(contentsOf: received[..<count])
        case .nothing: return
        case .ended: connection.inputEnded = true
        case .failed: return close(connection)
        }
        serve(connection, now)
    }

    func drain(_ connection: Connection, _ now: BootTime) {
        guard connection.flush(now: now) else { return }
        if connection.phase == .busy { connection.handler.didDrain(connection, now: now) }
        connection.didCatchUp()
        serve(connection, now)
    }

    func serveResumed(_ now: BootTime) {
        guard !resumable.isEmpty else { return }
        let tokens = resumable
        resumable.removeAll(keepingCapacity: true)
        beginServing()
        for (index, token) in tokens.enumerated() {
            guard callsLeft > 0, !isTimeUp else {
                // Who has waited for longest comes first in the next turn.
                resumable.insert(contentsOf: tokens[index...], at: 0)
                return
            }
            if let connection = connection(token) { serve(connection, now) }
        }
    }

    /// Answers the calls that are there, one after the other, until one takes time or its reply does not fit.
    private func serve(_ connection: Connection, _ now: BootTime) {
        do throws(MalformedInput) {
            try answerCalls(of: connection, now)
        } catch {
            // There is no reply to what is not a call.
            tell(.malformed(user: connection.peer.userID), connection, "sent what is no call: \(error)", now)
            return close(connection)
        }
        if connection.inputEnded, connection.phase == .ready, !connection.hasUnsent, !connection.isHeld {
            return close(connection)
        }
        rearm(connection)
    }

    private func answerCalls(of connection: Connection, _ now: BootTime) throws(MalformedInput) {
        connection.isHeld = false
        var served = 0
        while connection.phase == .ready, !connection.hasUnsent {
            guard connection.calls.nextCall <= now else { return hold(connection, until: connection.calls.nextCall) }
            guard served < Limits.callsPerTurn, callsLeft > 0, served == 0 || !isTimeUp else {
                return holdOver(connection)
            }
            guard let (call, bytes) = try connection.nextCall() else {
                return awaitRest(of: connection, isNew: served > 0, now)
            }
            let cost = 1 + (bytes + answer(call, from: connection, now)) / Limits.bytesOfCheapCall
            _ = connection.calls.take(cost, now: now)
            served += cost
            callsLeft -= cost
        }
        connection.unfinishedSince = nil
    }

    /// Returns how many bytes were written for it.
    private func answer(_ call: Call, from connection: Connection, _ now: BootTime) -> Int {
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
        return writer.bytes.count
    }

    // MARK: pace

    private func hold(_ connection: Connection, until instant: BootTime) {
        connection.isHeld = true
        paceCheck = BootTime.earlier(paceCheck, instant)
    }

    /// Its next calls are for the next turn.
    private func holdOver(_ connection: Connection) {
        connection.isHeld = true
        resume(connection)
    }

    func letCall(_ now: BootTime) {
        paceCheck = nil
        for connection in table.all where connection.isHeld {
            let next = connection.calls.nextCall
            if next <= now { resume(connection) } else { paceCheck = BootTime.earlier(paceCheck, next) }
        }
    }

    // MARK: unfinished calls

    private func awaitRest(of connection: Connection, isNew: Bool, _ now: BootTime) {
        guard connection.framer.hasUnfinishedMessage else {
            connection.unfinishedSince = nil
            connection.callCharge = nil
            return
        }
        let since = isNew ? now : connection.unfinishedSince ?? now
        connection.unfinishedSince = since
        callCheck = BootTime.earlier(callCheck, since + Limits.callNanoseconds)
        guard connection.chargeCall() else {
            tell(.calls(user: connection.peer.userID), connection, "sends more of calls than its user's share", now)
            return close(connection)
        }
    }

    func closeUnfinished(_ now: BootTime) {
        callCheck = nil
        for connection in table.all {
            // One that is held may have sent the rest long ago.
            guard let since = connection.unfinishedSince, !connection.isHeld else { continue }
            guard now - since < Limits.callNanoseconds else {
                tell(.malformed(user: connection.peer.userID), connection, "did not finish a call in time", now)
                close(connection)
                continue
            }
            // Not one by one: hundreds of them may be due one after the other.
            let due = max(since + Limits.callNanoseconds, now + Limits.callNanoseconds / 40)
            callCheck = BootTime.earlier(callCheck, due)
        }
    }

    /// The rest of a message can be neither kept nor left out.
    func closeOverdrawn(_ connection: Connection, _ now: BootTime) {
        tell(.unread(user: connection.peer.userID), connection, "leaves more unread than its user's share", now)
        close(connection)
    }

    /// A client is closed, which is told for the first of its user, and then once in a while.
    func tell(_ cause: LogCause, _ connection: Connection, _ words: String, _ now: BootTime) {
        let peer = connection.peer
        let who = "client \(connection.serial) (process \(peer.processID) of user \(peer.userID))"
        log.write(cause, .warning, "\(who) \(words): its connection is closed", now: now)
    }
}
