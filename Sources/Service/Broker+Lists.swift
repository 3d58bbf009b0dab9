internal import Admission
internal import Delivery
internal import Devices
internal import Readings
internal import Varlink

/// The list of resources, for those who watch it.
extension Broker {
    /// A client watches the list from now on: it gets it at once, and after changes.
    func watchList(_ connection: Connection, _ now: BootTime) {
        connection.makeBusy()
        listWatchers.add(connection.token)
        tellList(connection, now)
    }

    /// The socket of a client has room again: it is sent the list if it is owed it.
    func catchUpWithList(_ connection: Connection, _ now: BootTime) {
        if listWatchers.isOwed(connection.token) { tellList(connection, now) }
    }

    /// The list has changed: all who watch it are told, soon.
    func tellListToAll(_ now: BootTime) {
        listWatchers.change()
        tellLists(now)
    }

    /// Tells those who watch the list, as many as there is time for in this turn.
    func tellLists(_ now: BootTime) {
        // Written once for all with equal rights.
        var replies: [(rights: Rights, bytes: [UInt8])] = []
        let bill = listWatchers.tell(now) { token in
            server.connection(token).map { sendList($0, &replies, now) } ?? true
        }
        guard let bill else { return }
        for payer in bill.payers {
            server.charge(payer, calls: bill.calls, nanoseconds: bill.nanoseconds, now: now)
        }
    }

    private func tellList(_ connection: Connection, _ now: BootTime) {
        var replies: [(rights: Rights, bytes: [UInt8])] = []
        listWatchers.didTell(connection.token, isSent: sendList(connection, &replies, now))
    }

    /// Returns false where the client's socket is full: the list would be out of date when it is read.
    private func sendList(
        _ connection: Connection, _ replies: inout [(rights: Rights, bytes: [UInt8])], _ now: BootTime
    ) -> Bool {
        guard connection.blockedSince == nil else { return false }
        let rights = catalog.rights(of: connection)
        if let reply = replies.first(where: { $0.rights == rights }) {
            connection.reply(reply.bytes, now: now)
        } else {
            replies.append((rights, listReply(for: rights)))
            connection.reply(replies[replies.count - 1].bytes, now: now)
        }
        return true
    }

    private func listReply(for rights: Rights) -> [UInt8] {
        var writer = JSONWriter(capacity: 1_024)
        writer.beginReply()
        writer.resources(resources, for: rights)
        writer.endReply(continues: true)
        return writer.bytes
    }
}
