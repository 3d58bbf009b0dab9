internal import Delivery
internal import Devices
internal import Readings
internal import Varlink

/// `ListResources` with `more`: again after each change.
extension Broker {
    /// Sends the list to one who watches it, or owes it until the socket has room.
    func tellList(_ token: UInt64, _ now: BootTime) {
        guard let connection = server.connection(token) else { return }
        guard connection.blockedSince == nil else {
            listWatchers[token] = true
            return
        }
        listWatchers[token] = false
        var writer = JSONWriter(capacity: 1_024)
        writer.beginReply()
        writer.resources(resources, for: rights(of: connection))
        writer.endReply(continues: true)
        connection.reply(writer.bytes, now: now)
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
