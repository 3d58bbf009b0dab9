internal import Platform
internal import Readings
internal import Varlink

/// Reads and answers the calls of clients, each when its user's turn comes.
///
/// The daemon does not read from a waiting client: what it sends stays in its own socket. It gets no error for that,
/// which would only be more to send.
final class CallService {
    private let connections: Connections
    private let pacing: CallPacing
    private var received = [UInt8](repeating: 0, count: 16 * 1_024)
    private let unfinished = OverdueWatch(limitNanoseconds: Limits.callNanoseconds, mostChecks: 40)

    init(_ connections: Connections, _ pacing: CallPacing) {
        self.connections = connections
        self.pacing = pacing
    }

    /// Queues a connection to be served: bytes have arrived, or further calls may follow the one just answered.
    func enqueue(_ connection: Connection) {
        guard connection.beginWaiting() else { return }
        pacing.enqueue(connection.token, of: connection.caller)
    }

    /// Serves waiting connections, as many as there is time for in this turn.
    func serveWaiting(_ now: BootTime) {
        if !pacing.isEmpty {
            pacing.beginServing()
            var served = 0
            while let (caller, token) = pacing.next(isFirst: served == 0, now: now) {
                guard let connection = connections.table[token] else { continue }
                served += 1
                connection.endWaiting()
                pacing.account(for: caller, now) { serve(connection, now) }
            }
        }
        // Connections that still wait are not watched for input: the loop would find them ready again and again.
        pacing.forEachNewlyQueued { token in
            if let connection = connections.table[token], connection.isWaiting { connections.rearm(connection) }
        }
    }

    /// Answers the calls that have arrived, one after the other, until one takes time or its reply does not fit;
    /// returns how many calls they count as.
    private func serve(_ connection: Connection, _ now: BootTime) -> Int {
        if connection.longReply != nil { return continueReply(on: connection, now) }
        guard connection.phase == .ready else { return 0 }
        guard connection.input.receive(from: connection.socket, through: &received) else {
            connections.close(connection)
            return 0
        }
        var cost = 0
        do throws(MalformedInput) {
            try answerCalls(of: connection, &cost, now)
        } catch {
            // A message that is no call gets no reply.
            connections.close(connection, for: LogCause.malformed, "sent a message that is no call: \(error)", now)
            return max(1, cost)
        }
        if connection.input.hasEnded, connection.phase == .ready, !connection.hasUnsent, !connection.isWaiting {
            connections.close(connection)
        } else {
            connections.rearm(connection)
        }
        return cost
    }

    private func answerCalls(of connection: Connection, _ cost: inout Int, _ now: BootTime) throws(MalformedInput) {
        while connection.phase == .ready, !connection.hasUnsent {
            // Further calls wait for another time, after those of others.
            guard pacing.mayAnswer(after: cost) else { return enqueue(connection) }
            guard let (call, bytes) = try connection.input.next() else {
                return awaitRest(of: connection, isNew: cost > 0, now)
            }
            cost += pacing.didAnswer(bytes: bytes + answer(call, from: connection, now))
        }
        connection.input.didFinish()
    }

    /// Writes the next portion of a reply that is written in portions.
    private func continueReply(on connection: Connection, _ now: BootTime) -> Int {
        guard let reply = connection.longReply, !connection.hasUnsent else { return 0 }
        var writer = JSONWriter(capacity: Limits.portionBytes * 2)
        let isLast = reply.writePortion(into: &writer, now: now)
        connection.reply(writer.bytes, now: now)
        // One portion per turn: streams come before the next.
        pacing.endServing()
        if isLast { connection.finishCall() } else { enqueue(connection) }
        return CallPacing.cost(bytes: writer.bytes.count)
    }

    /// Returns the number of bytes written.
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
        guard let since = connection.input.awaitRest(isNew: isNew, now: now) else { return }
        unfinished.begin(since: since, now: now)
        guard connection.chargeCall() else {
            let words = "sends more bytes of unfinished calls than its user's share"
            return connections.close(connection, for: LogCause.calls, words, now)
        }
    }

    /// When to look for calls that have been incomplete for too long; nil: there are none.
    var deadline: BootTime? { unfinished.deadline }

    /// Closes the connections whose calls did not arrive completely in time.
    func closeUnfinished(_ now: BootTime) {
        // A connection that waits to be served may have sent the rest long ago.
        let late = unfinished.overdue(among: connections.table.all, now: now) {
            $0.isWaiting ? nil : $0.input.unfinishedSince
        }
        for connection in late {
            connections.close(connection, for: LogCause.malformed, "did not finish a call in time", now)
        }
    }
}
