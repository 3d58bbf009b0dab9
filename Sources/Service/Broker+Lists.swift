internal import Delivery
internal import Devices
internal import Readings
internal import Varlink

/// `ListResources` with `more`: again after each change.
extension Broker {
    /// Sends the list to one who watches it, or owes it until the socket has room.
    func tellList(_ token: UInt64, _ now: BootTime) { tellList([token], now) }

    /// The same to all who watch it: there may be thousands, so it is written once for all with equal rights.
    func tellListToAll(_ now: BootTime) { if !listWatchers.isEmpty { tellList(Array(listWatchers.keys), now) } }

    private func tellList(_ tokens: [UInt64], _ now: BootTime) {
        var replies: [(rights: Rights, bytes: [UInt8])] = []
        for token in tokens {
            guard let connection = server.connection(token) else { continue }
            listWatchers[token] = connection.blockedSince != nil
            guard connection.blockedSince == nil else { continue }
            let rights = rights(of: connection)
            if let reply = replies.first(where: { $0.rights == rights }) {
                connection.reply(reply.bytes, now: now)
            } else {
                replies.append((rights, listReply(for: rights)))
                connection.reply(replies[replies.count - 1].bytes, now: now)
            }
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
        for resource in resources {
            if case .unavailable = resource.core.state, resource.core.demand == nil { resource.channel.requestProbe() }
        }
    }
}
