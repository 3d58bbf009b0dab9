internal import Admission
internal import Delivery
internal import Devices
internal import Platform
public import Readings
internal import Varlink

/// How a daemon takes up the clients that the one before it left.
extension Broker {
    /// What a handover's text may come to.
    public static let handoverBytes = Handover.bytes

    /// Serves the clients of a handover's text from now on, each at the socket that it had; owns those sockets.
    ///
    /// Of several texts the latest counts. A client whose socket is gone is gone. One that nothing is known of, or nothing that
    /// still holds, is let go: it sees the end of its connection, and can connect again. Where a text is not understood, that
    /// is so for all.
    public func takeOver(
        _ texts: [[UInt8]], ledger: [Int64]?, _ sockets: [Int32], calls: BrokerCalls, administration: AdminCalls,
        now: BootTime
    ) {
        var left = Self.byCookie(sockets)
        defer { for number in left.values { UnixSocket(Descriptor(owning: number)).end() } }
        let handover: Handover
        do throws(HandoverFault) { handover = try Handover(latestOf: texts, ledger) } catch {
            guard !left.isEmpty else { return }
            let words = "\(left.count) client\(left.count == 1 ? "" : "s") of the daemon before this one"
            return journal.write(.warning, "\(words) must connect again: what it left cannot be used, since \(error)")
        }
        let wanted = Set(handover.connections.flatMap(\.resources))
        for resource in handover.resources { takeUp(resource, isWanted: wanted.contains(resource.name)) }
        releases.adopt(handover.releases)
        applyReleases(now)
        let periods = handover.resources.reduce(into: [:]) { $0[$1.name] = $1.periodNanoseconds }
        var count = 0
        for handed in handover.connections {
            guard let number = left.removeValue(forKey: handed.cookie) else { continue }
            let handler: any CallHandler = handed.door == .administrators ? administration : calls
            let socket = UnixSocket(Descriptor(owning: number))
            guard
                let connection = server.readmit(
                    socket, handler, serial: handed.serial, since: handed.connectedSince, now: now)
            else { continue }
            takeUp(handed, as: connection, periods, now)
            count += 1
        }
        // The configuration may be another one, and with it what they may read. Grants stay as they were told until it is
        // known what the devices can do.
        endForbidden(now)
        for device in devices + derivations.map(\.device) { settle(device, now) }
        guard count > 0 else { return }
        journal.write(.notice, "took over \(count) client\(count == 1 ? "" : "s") of the daemon before this one")
    }

    private static func byCookie(_ sockets: [Int32]) -> [UInt64: Int32] {
        var numbers: [UInt64: Int32] = [:]
        for number in sockets {
            let socket = UnixSocket(Descriptor(owning: number))
            let cookie = socket.cookie
            // Something else, or the same once more, is closed.
            guard cookie != 0, numbers[cookie] == nil else { continue }
            numbers[cookie] = socket.release()
        }
        return numbers
    }

    /// A resource that is found only later is there already, and unavailable, for its clients; without any it is forgotten.
    private func takeUp(_ handed: HandedResource, isWanted: Bool) {
        if isWanted, index(of: handed.name) == nil { expect(handed) }
        guard let index = index(of: handed.name), resources[index].core.kind == handed.kind else { return }
        resources[index].core.resume(after: handed.interruption, grid: handed.grid)
    }

    private func expect(_ handed: HandedResource) {
        guard resources.count < Limits.resources, let channel = try? DeviceChannel(),
            (try? add(handed.name, handed.kind, channel, isSimulated: false)) != nil, let resource = resources.last
        else { return }
        resource.device.isAwaited = true
        channel.send(.state(.unavailable(reason: "it has not been found again since the broker was started anew")))
    }

    private func takeUp(
        _ handed: HandedConnection, as connection: Connection, _ periods: [ResourceName: Int64], _ now: BootTime
    ) {
        connection.input.resume(handed.unread)
        connection.resume(unsent: handed.unsent, isBlocked: handed.isBlocked, now: now)
        switch handed.task {
        case .none: server.enqueue(connection)
        case .list:
            // It may have changed.
            watchList(connection, now)
        case .read(let read):
            // Without the resource there is no one to answer for it.
            guard let index = index(of: read.resource) else { return server.close(connection) }
            connection.makeBusy()
            resources[index].owned.wait(
                WaitingRead(
                    connection: connection.token, since: read.since, deadline: read.deadline,
                    withSatellites: read.withSatellites))
        case .stream(let stream):
            guard streams.takeUp(stream, on: connection, periods: periods, to: sink, now) else {
                return server.close(connection)
            }
        }
    }
}
