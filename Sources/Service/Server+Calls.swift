internal import Admission
internal import Delivery
internal import Platform
internal import Readings
internal import Varlink

/// How calls come in: fair among users, each at its pace, and never so many that the streams would wait for them.
///
/// Whoever has something to say waits in a queue by user, however many connections that user has. It is served as long as
/// there is time in the turn, and, while there are streams, as long as calls have not had their share of all time: a flood
/// of calls makes calls slow, not readings. Who waits is not read: what it sends stays in its own socket. It gets no errors
/// for it, which would only be more to send.
extension Server {
    func drain(_ connection: Connection, _ now: BootTime) {
        guard connection.flush(now: now) else { return }
        if connection.phase == .busy { connection.handler.didDrain(connection, now: now) }
        connection.didCatchUp()
        rearm(connection)
        enqueue(connection)
    }

    /// It is served when its caller's turn comes: something has come, or calls may be queued behind the one just answered.
    func enqueue(_ connection: Connection) {
        guard connection.phase == .ready || connection.longReply != nil, !connection.isHeld, !connection.hasUnsent
        else {
            return
        }
        connection.isHeld = true
        waiting.append(
            connection.token, of: connection.caller, budget(connection.peer.isAdministrator, clock()), now: clock())
        newlyWaiting.append(connection.token)
    }

    private func budget(_ isTrusted: Bool, _ now: BootTime) -> CallBudget {
        let times = isTrusted ? Limits.callsOfTrusted : 1
        return CallBudget(perSecond: times * Limits.callsPerSecond, burst: times * Limits.callsInBurst, now: now)
    }

    /// Whether there are streams that others' calls could hold up.
    var hasStreams: Bool { quotas.subscriptions.charged > 0 }

    /// When somebody who waits can be served; nil: nobody waits.
    var nextService: BootTime? {
        waiting.nextCall.map { hasStreams ? max($0, callShare.opensAt) : $0 }
    }

    /// Serves those who wait, as long as there is time in this turn.
    func serveWaiting(_ now: BootTime) {
        defer { newlyWaiting.removeAll(keepingCapacity: true) }
        guard waiting.count > 0 else { return }
        beginServing()
        var served = 0
        while callsLeft > 0, served == 0 || !isTimeUp, !hasStreams || callShare.opensAt <= now,
            let (caller, token) = waiting.next(now: now)
        {
            guard let connection = connection(token) else { continue }
            served += 1
            connection.isHeld = false
            account(for: caller, isTrusted: connection.peer.isAdministrator, now) { serve(connection, now) }
        }
        // Those who go on waiting are not read: the loop would find them ready again and again.
        for token in newlyWaiting { if let connection = connection(token), connection.isHeld { rearm(connection) } }
    }

    /// Does something on account of a caller, which is charged with as many calls as the body says, and with the time.
    func account(for caller: Caller, isTrusted: Bool, _ now: BootTime, _ act: () -> Int) {
        let begin = clock()
        acting = caller
        let calls = act()
        acting = nil
        let nanoseconds = clock() - begin
        callShare.take(nanoseconds, now: now)
        waiting.charge(caller, calls: calls, nanoseconds: nanoseconds, budget(isTrusted, now), now: now)
    }

    /// Charges a caller who has caused work for others that was done later.
    func charge(_ caller: Caller, isTrusted: Bool = false, calls: Int, nanoseconds: Int64, now: BootTime) {
        waiting.charge(caller, calls: calls, nanoseconds: nanoseconds, budget(isTrusted, now), now: now)
    }

    /// Answers the calls that are there, one after the other, until one takes time or its reply does not fit; returns how
    /// many they count for.
    private func serve(_ connection: Connection, _ now: BootTime) -> Int {
        if connection.longReply != nil { return goOn(with: connection, now) }
        guard connection.phase == .ready else { return 0 }
        if connection.isReadable {
            connection.isReadable = false
            switch connection.socket.receive(into: &received) {
            case .received(let count): connection.framer.append(contentsOf: received[..<count])
            case .nothing: break
            case .ended: connection.inputEnded = true
            case .failed:
                close(connection)
                return 0
            }
        }
        var cost = 0
        do throws(MalformedInput) {
            try answerCalls(of: connection, &cost, now)
        } catch {
            // There is no reply to what is not a call.
            tell(.malformed(user: connection.peer.userID), connection, "sent what is no call: \(error)", now)
            close(connection)
            return max(1, cost)
        }
        if connection.inputEnded, connection.phase == .ready, !connection.hasUnsent, !connection.isHeld {
            close(connection)
        } else {
            rearm(connection)
        }
        return cost
    }

    private func answerCalls(of connection: Connection, _ cost: inout Int, _ now: BootTime) throws(MalformedInput) {
        while connection.phase == .ready, !connection.hasUnsent {
            guard cost == 0 || cost < Limits.callsPerTurn && callsLeft > 0 && !isTimeUp else {
                // The next calls are for another time, behind those of others.
                return enqueue(connection)
            }
            guard let (call, bytes) = try connection.nextCall() else {
                return awaitRest(of: connection, isNew: cost > 0, now)
            }
            let price = 1 + (bytes + answer(call, from: connection, now)) / Limits.bytesOfCheapCall
            cost += price
            callsLeft -= price
        }
        connection.unfinishedSince = nil
    }

    /// Writes the next portion of a reply that is written in portions.
    private func goOn(with connection: Connection, _ now: BootTime) -> Int {
        guard let reply = connection.longReply, !connection.hasUnsent else { return 0 }
        var writer = JSONWriter(capacity: Limits.portionBytes * 2)
        let isLast = reply.writePortion(into: &writer, now: now)
        connection.reply(writer.bytes, now: now)
        // One portion a turn: streams come before the next.
        servedUntil = now
        if isLast {
            connection.longReply = nil
            connection.finishCall()
        } else {
            enqueue(connection)
        }
        return 1 + writer.bytes.count / Limits.bytesOfCheapCall
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
