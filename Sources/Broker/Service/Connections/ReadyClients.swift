internal import Delivery
internal import Platform
internal import Readings

/// Handles the clients whose sockets were ready in a turn: those whose sockets have room again get what is pending,
/// as many as there is time for; those that have sent something wait for their turn to be served.
struct ReadyClients {
    private let connections: Connections
    private let pacing: CallPacing
    private let calls: CallService
    /// The connection that comes first in this turn, because the last turn ran out of time before it.
    ///
    /// Identified by its token, since the list of ready descriptors differs from turn to turn.
    private var first: ConnectionToken?

    init(_ connections: Connections, _ pacing: CallPacing, _ calls: CallService) {
        self.connections = connections
        self.pacing = pacing
        self.calls = calls
    }

    mutating func act(on ready: ReadyList, _ now: BootTime) {
        pacing.beginServing()
        let start = first.flatMap { first in ready.firstIndex { Awaited($0.token) == .connection(first) } } ?? 0
        var postponed: ConnectionToken?
        for offset in ready.indices {
            let event = ready[(start + offset) % ready.count]
            guard case .connection(let token) = Awaited(event.token), let connection = connections.table[token] else {
                continue
            }
            if event.isWritable {
                if pacing.isTimeUp { postponed = postponed ?? token } else { drain(connection, now) }
            }
            if event.isReadable {
                connection.input.setReadable()
                calls.enqueue(connection)
            } else if event.isHungUp {
                connections.close(connection)
            }
        }
        first = postponed
    }

    /// The socket has room again: what was held back goes out, then what is pending with the handler.
    private func drain(_ connection: Connection, _ now: BootTime) {
        guard connection.flush(now: now) else { return }
        if connection.phase == .busy { connection.handler.didDrain(connection, now: now) }
        connection.didCatchUp()
        connections.rearm(connection)
        calls.enqueue(connection)
    }
}
