internal import Admission
internal import Delivery
internal import Devices
internal import Platform
internal import Printable
internal import Readings

/// Continues the clients that the previous daemon left.
struct TakeOver {
    private let broker: Broker

    init(of broker: Broker) { self.broker = broker }

    private var catalog: Catalog { broker.catalog }
    private var server: Server { broker.server }
    private var streams: Streams { broker.streams }
    private var sink: BrokerSink { broker.sink }

    /// Serves the clients of a handover's text from now on, each on the socket that it had; owns those sockets.
    func serve(
        _ texts: [[UInt8]], ledger: [Int64]?, _ sockets: [Int32], calls: BrokerCalls, administration: AdminCalls,
        now: BootTime
    ) {
        var left = Self.byCookie(sockets)
        defer { for number in left.values { UnixSocket(Descriptor(owning: number)).end() } }
        let handover: Handover
        do throws(HandoverFault) { handover = try Handover(latestOf: texts, ledger) } catch {
            guard !left.isEmpty else { return }
            let words = "\(left.count.counted("client")) of the previous daemon"
            return broker.context.journal.write(
                .warning, "\(words) must connect again: its handover cannot be used (\(error))")
        }
        let wanted = Set(handover.connections.flatMap(\.resources))
        for resource in handover.resources { takeUp(resource, isWanted: wanted.contains(resource.name)) }
        broker.releases.adopt(handover.releases, to: sink, now)
        let periods = handover.resources.reduce(into: [:]) { $0[$1.name] = $1.periodNanoseconds }
        var count = 0
        for handed in handover.connections {
            guard let number = left.removeValue(forKey: handed.cookie) else { continue }
            let handler: any CallHandler = handed.door == .administrators ? administration : calls
            let socket = UnixSocket(Descriptor(owning: number))
            guard
                let connection = server.clients.readmit(
                    socket, handler, serial: handed.serial, since: handed.connectedSince, now: now)
            else { continue }
            takeUp(handed, as: connection, periods, now)
            count += 1
        }
        // The configuration may have changed, and with it what the clients may read. Grants stay as announced until the
        // capabilities of the devices are known.
        streams.endForbidden(to: sink, now)
        broker.reads.endForbidden(to: sink, now)
        broker.devices.settleAll(to: sink, now)
        guard count > 0 else { return }
        broker.context.journal.write(.notice, "took over \(count.counted("client")) of the previous daemon")
    }

    private static func byCookie(_ sockets: [Int32]) -> [UInt64: Int32] {
        var numbers: [UInt64: Int32] = [:]
        for number in sockets {
            let socket = UnixSocket(Descriptor(owning: number))
            let cookie = socket.cookie
            // A descriptor that is no socket, or a second one of a socket, is closed.
            guard cookie != 0, numbers[cookie] == nil else { continue }
            numbers[cookie] = socket.release()
        }
        return numbers
    }

    /// A resource that is found only later exists already, as unavailable, for its clients; without clients it is
    /// dropped.
    private func takeUp(_ handed: HandedResource, isWanted: Bool) {
        if isWanted, catalog.index(of: handed.name) == nil { broker.arrivals.expect(handed.name, handed.kind) }
        guard let index = catalog.index(of: handed.name), catalog[index].core.kind == handed.kind else {
            return
        }
        catalog[index].core.resume(after: handed.interruption, grid: handed.grid)
    }

    private func takeUp(
        _ handed: HandedConnection, as connection: Connection, _ periods: [ResourceName: Int64], _ now: BootTime
    ) {
        connection.input.resume(handed.unread)
        connection.resume(unsent: handed.unsent, isBlocked: handed.isBlocked, now: now)
        switch handed.task {
        case .none: server.clients.calls.enqueue(connection)
        case .list:
            // The list may have changed.
            broker.list.watch(connection, now)
        case .release(let names): broker.releases.takeUp(names, connection, now: now)
        case .read(let read):
            // Without the resource nobody can answer the call.
            guard let index = catalog.index(of: read.resource) else { return server.clients.close(connection) }
            connection.makeBusy()
            catalog[index].wait(
                WaitingRead(
                    connection: connection.token, since: read.since, deadline: read.deadline,
                    withSatellites: read.withSatellites))
        case .stream(let stream):
            guard streams.takeUp(stream, on: connection, periods: periods, to: sink, now) else {
                return server.clients.close(connection)
            }
        }
    }
}
