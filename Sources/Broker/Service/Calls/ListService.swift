internal import Admission
internal import Delivery
internal import Readings
internal import Varlink

/// The list of resources, for clients that watch it (`ListResources` with `more`).
///
/// `ListWatchers` decides who is informed, and when; this class writes and sends the list.
final class ListService {
    private typealias Replies = [(rights: Rights, bytes: [UInt8])]

    private let catalog: Catalog
    private let clients: Clients
    private let watchers: ListWatchers

    init(_ context: ServiceContext) {
        catalog = context.catalog
        clients = context.clients
        watchers = ListWatchers(
            clock: context.server.clock, hasStreams: { [quotas = clients.quotas] in quotas.hasStreams })
    }

    /// A client watches the list from now on: it gets the list at once and after changes.
    func watch(_ connection: Connection, _ now: BootTime) {
        connection.makeBusy()
        watchers.add(connection.token)
        sendAtOnce(connection, now)
    }

    func drop(_ connection: ConnectionToken) { watchers.remove(connection) }

    func isWatched(by connection: ConnectionToken) -> Bool { watchers.contains(connection) }

    /// The socket of a client has room again: sends it the list if that is pending.
    func catchUp(_ connection: Connection, _ now: BootTime) {
        if watchers.isPending(connection.token) { sendAtOnce(connection, now) }
    }

    /// The list has changed: all watchers will be informed soon.
    func change(_ now: BootTime) {
        watchers.change()
        sendAll(now)
    }

    /// A device starts or stops for the client whose call is being answered, which pays for announcing it.
    func didChangeInterest() { if let caller = clients.pacing.acting { watchers.blame(caller) } }

    /// When watchers must be informed; nil: there is nothing to announce.
    var deadline: BootTime? { watchers.deadline }

    /// Sends the list to watchers, as many as there is time for in this turn.
    func sendAll(_ now: BootTime) {
        // Written once for all watchers with equal rights.
        var replies: Replies = []
        let bill = watchers.inform(now) { token in
            clients[token].map { send($0, &replies, now) } ?? true
        }
        guard let bill else { return }
        for payer in bill.payers {
            clients.pacing.charge(payer, calls: bill.calls, nanoseconds: bill.nanoseconds, now: now)
        }
    }

    private func sendAtOnce(_ connection: Connection, _ now: BootTime) {
        var replies: Replies = []
        watchers.didSend(to: connection.token, isTaken: send(connection, &replies, now))
    }

    /// Returns false if the client's socket is full: the list would be out of date when it is read.
    private func send(_ connection: Connection, _ replies: inout Replies, _ now: BootTime) -> Bool {
        guard connection.blockedSince == nil else { return false }
        let rights = catalog.rights(of: connection)
        if let reply = replies.first(where: { $0.rights == rights }) {
            connection.reply(reply.bytes, now: now)
        } else {
            replies.append((rights, reply(for: rights)))
            connection.reply(replies[replies.count - 1].bytes, now: now)
        }
        return true
    }

    private func reply(for rights: Rights) -> [UInt8] {
        JSONWriter.reply(capacity: 1_024, continues: true) { $0.resources(catalog.resources, for: rights) }
    }
}
