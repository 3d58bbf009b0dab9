internal import Delivery
internal import Readings
internal import Varlink

/// The daemon's end of delivery: messages become bytes, encoded once for all who get the same, and are handed to sockets without
/// waiting; what happens to devices and resources goes to the broker.
final class BrokerSink: Sink {
    private unowned let broker: Broker
    /// What a lane says, in storage that is used again and again.
    private var payload = LanePayload()

    init(_ broker: Broker) { self.broker = broker }

    // MARK: messages of a stream

    func send(
        _ message: LaneMessage, of resource: OwnedResource, now: BootTime,
        toMembers: ((LaneMessage.Content, Client) -> Bool?) -> Void
    ) {
        // In variables of this function's own nothing is counted or checked anew for each member.
        let broker = broker
        var payload = LanePayload()
        swap(&payload, &self.payload)
        let clients = broker.server.table
        broker.rounds.beginLane(message.place, nextDue: message.nextDue, resource.place)
        payload.begin(message, of: resource.name)
        toMembers { content, client in
            switch client {
            case .connection(let token):
                return clients.withConnection(token) { payload.send(content, of: message, on: $0, now: now) }
            case .derivation(let place):
                broker.derivations[place].take(message.readings(in: content))
                return true
            }
        }
        broker.rounds.endLane(message.place, nextDue: message.nextDue, resource.place)
        swap(&payload, &self.payload)
    }

    func sendAlone(
        _ reading: Sample, of resource: OwnedResource, tellsSatellites: Bool, to client: Client, now: BootTime
    ) -> Bool? {
        switch client {
        case .connection(let token):
            guard let connection = broker.server.connection(token) else { return nil }
            var writer = JSONWriter(capacity: 512)
            writer.beginReply()
            writer.readings([reading], of: resource.name, withSatellites: tellsSatellites)
            writer.endReply(continues: true)
            return connection.stream(writer.bytes.span, now: now)
        case .derivation(let place):
            broker.derivations[place].take([reading])
            return true
        }
    }

    func willSend(from resource: OwnedResource, onlyGathering: Bool, now: BootTime) {
        broker.streams.tellAnnouncements(toMembersOf: resource, onlyGathering: onlyGathering, self, now)
        // A stream that gathers batches is not taken over after a crash.
        if !onlyGathering { broker.rounds.begin(resource) }
    }

    func didSend(from resource: OwnedResource, onlyGathering: Bool) {
        if !onlyGathering { broker.rounds.end(resource) }
    }

    // MARK: replies

    func tell(
        _ gaps: [Gap], _ reading: Sample?, of resource: OwnedResource, tellsSatellites: Bool, to client: Client,
        now: BootTime
    ) {
        guard case .connection(let token) = client, let connection = broker.server.connection(token) else { return }
        var writer = JSONWriter(capacity: 512)
        writer.beginReply()
        if let reading { writer.readings([reading], of: resource.name, withSatellites: tellsSatellites) }
        writer.gaps(gaps, of: resource.name)
        writer.endReply(continues: true)
        connection.reply(writer.bytes, now: now)
    }

    func answer(_ read: WaitingRead, _ outcome: WaitingRead.Outcome, of resource: OwnedResource, now: BootTime) {
        guard let connection = broker.server.connection(read.connection) else { return }
        switch outcome {
        case .sample(let sample):
            broker.answer(connection, sample, resource.name, withSatellites: read.withSatellites, now)
        case .failed(let reason):
            refuse(connection, .resourceUnavailable(resource.name.description, reason: reason), now)
        case .timedOut: refuse(connection, .timedOut, now)
        case .forbidden: refuse(connection, .permissionDenied, now)
        case .dropped: break
        }
        connection.finishCall()
    }

    private func refuse(_ connection: Connection, _ error: VarlinkError, _ now: BootTime) {
        var writer = JSONWriter(capacity: 128)
        writer.reply(error)
        connection.reply(writer.bytes, now: now)
    }

    // MARK: what happens to devices and resources

    func willChangeState(of resource: OwnedResource, now: BootTime) {
        broker.streams.finishAnnouncements(of: resource.place, to: self, now)
    }

    func didChangeState(of resource: OwnedResource, now: BootTime) { broker.didChangeState(of: resource, now) }

    func didChangeProfile(of resource: OwnedResource, hasNewInterval: Bool, now: BootTime) {
        broker.streams.regrant(resource.place)
        broker.regrantDerivations(from: resource, now)
        broker.announce(resource.place, withGrants: hasNewInterval, now)
    }

    func didOpen(_ resource: OwnedResource, now: BootTime) {
        broker.rounds.writeDueTimes(of: resource)
        for derivation in broker.catalog.derivations(from: resource.place) { derivation.restart() }
    }

    func didFail(_ resource: OwnedResource, reason: String, now: BootTime) {
        for derivation in broker.catalog.derivations(from: resource.place) { derivation.fail(reason) }
    }

    func didChangeDemand(of device: Device, now: BootTime) { broker.didChangeDemand(of: device, now) }

    func didChangeInterest(in device: Device) { broker.didChangeInterest() }
}
