internal import Admission
internal import Delivery
internal import Devices
internal import Readings
internal import Varlink

/// `ListResources` with `more`: again after changes, of which several may be gathered.
extension Broker {
    /// Sends the list to one who watches it, or owes it until the socket has room.
    func tellList(_ token: ConnectionToken, _ now: BootTime) {
        var replies: [(rights: Rights, bytes: [UInt8])] = []
        tellList(token, &replies, now)
    }

    /// The list has changed: all who watch it are told, soon.
    func tellListToAll(_ now: BootTime) {
        guard !listWatchers.isEmpty else { return }
        lists.change()
        tellLists(now)
    }

    /// When to go on telling lists; nil: there is nothing to tell.
    var listDeadline: BootTime? {
        lists.due.map { server.hasStreams ? max($0, listShare.opensAt) : $0 }
    }

    /// Tells those who watch the list, as many as there is time for in this turn.
    func tellLists(_ now: BootTime) {
        guard let due = listDeadline, due <= now, lists.begin(Array(listWatchers.keys), now: now) else { return }
        let begin = server.clock()
        var told = 0
        // Written once for all with equal rights.
        var replies: [(rights: Rights, bytes: [UInt8])] = []
        while told == 0 || server.clock() - begin < Limits.listTurnNanoseconds, let token = lists.next() {
            guard listWatchers[token] != nil else { continue }
            told += 1
            tellList(token, &replies, now)
        }
        let nanoseconds = server.clock() - begin
        listShare.take(nanoseconds, now: now)
        let payers = lists.payers
        let calls = told / Limits.watchersOfCheapCall
        for payer in payers {
            server.charge(
                payer, calls: calls / payers.count, nanoseconds: nanoseconds / Int64(payers.count), now: now)
        }
    }

    private func tellList(
        _ token: ConnectionToken, _ replies: inout [(rights: Rights, bytes: [UInt8])], _ now: BootTime
    ) {
        guard let connection = server.connection(token) else { return }
        listWatchers[token] = connection.blockedSince != nil
        guard connection.blockedSince == nil else { return }
        let rights = rights(of: connection)
        if let reply = replies.first(where: { $0.rights == rights }) {
            connection.reply(reply.bytes, now: now)
        } else {
            replies.append((rights, listReply(for: rights)))
            connection.reply(replies[replies.count - 1].bytes, now: now)
        }
    }

    private func listReply(for rights: Rights) -> [UInt8] {
        var writer = JSONWriter(capacity: 1_024)
        writer.beginReply()
        writer.resources(resources, for: rights)
        writer.endReply(continues: true)
        return writer.bytes
    }

    /// Has a look at devices that were missing and that nobody has asked for since: their state may be out of date.
    ///
    /// An idle daemon does not poll for them; somebody's interest is the occasion.
    /// At most once a second: callers in a hurry must not become a flood of connects.
    func refreshUnavailable(now: BootTime) {
        guard lastRefresh.map({ now - $0 >= 1_000_000_000 }) ?? true else { return }
        lastRefresh = now
        for device in devices where device.core.demand == nil && device.core.isUnavailable {
            device.channel.requestProbe()
        }
    }
}
