internal import Delivery
internal import Platform
internal import Readings

/// The open connections, from their first event to their last.
///
/// A closed connection is removed at the end of the turn, when nobody is in the middle of sending to it.
final class Connections {
    private let poller: Poller
    private let log: RationedJournal
    /// The connections by token; those that are being closed are still in it.
    private(set) var table: ConnectionTable
    private var closing: [Connection] = [] {
        didSet { hasClosing = !closing.isEmpty }
    }
    private(set) var hasClosing = false
    /// The highest serial number so far.
    private(set) var lastSerial = 0

    init(_ poller: Poller, _ log: RationedJournal, firstAfter generation: UInt32) {
        self.poller = poller
        self.log = log
        table = ConnectionTable(generation: generation)
    }

    /// Inserts a connection made with the token of `makeToken`; false: the kernel has no memory to watch its socket.
    func insert(_ connection: Connection) -> Bool {
        let owner = Awaited.connection(connection.token)
        guard (try? poller.add(connection.socket.number, .read, for: owner)) != nil else { return false }
        assert(connection.phase == .ready)
        table.insert(connection)
        lastSerial = max(lastSerial, connection.serial)
        return true
    }

    func makeToken() -> ConnectionToken { table.makeToken() }

    /// Registers with epoll what a connection waits for, if that has changed.
    func rearm(_ connection: Connection) {
        guard let interest = connection.takeChangeOfInterest() else { return }
        do throws(SystemError) {
            try poller.change(connection.socket.number, interest, for: .connection(connection.token))
        } catch {
            close(connection)
        }
    }

    /// Closes a connection at the end of the turn; nothing more is read from it.
    func close(_ connection: Connection) {
        guard connection.beginClosing() else { return }
        poller.remove(connection.socket.number)
        closing.append(connection)
    }

    /// The same for what its client does, which the journal reports: for the user's first such client at once, then once in a while.
    func close(_ connection: Connection, for cause: (UInt32) -> LogCause, _ words: String, _ now: BootTime) {
        let peer = connection.peer
        let client = "client \(connection.serial) (process \(peer.processID) of user \(peer.userID))"
        log.write(cause(peer.userID), .warning, "\(client) \(words): its connection is closed", now: now)
        close(connection)
    }

    /// Takes out a connection that waits to be removed; nil: there is none.
    func removeClosing() -> Connection? {
        guard let connection = closing.popLast() else { return nil }
        assert(connection.phase == .closing)
        table.remove(connection)
        return connection
    }

    /// Removes all connections at once; those that were being closed end in order.
    func removeAll() {
        for connection in closing { connection.socket.end() }
        closing = []
        table.removeAll()
    }
}
