internal import Delivery
internal import Readings
internal import Varlink

/// The daemon's end of delivery: messages become bytes, encoded once for all who get the same, and go to sockets
/// without waiting.
///
/// Events of devices and resources go to the parts that they concern.
final class BrokerSink: Sink {
    private let clients: Clients
    private let streams: Streams
    private let derivations: Derivations
    private let alignments: Alignments
    private let devices: DeviceService
    private let list: ListService
    private let observer: CrashObserver
    /// A lane's message, in storage that is reused.
    private var payload = LanePayload()
    /// Clients for which messages are being gathered.
    private var gathering: [ConnectionToken] = [] {
        didSet { isGathering = !gathering.isEmpty }
    }
    private var isGathering = false
    /// Whether what is gathered waits for further rounds.
    private var joinsRounds = false
    /// The intervals of devices that were last announced, in nanoseconds: grants show them.
    private var announcedIntervals: [ResourceIndex: Int64] = [:]

    init(
        _ context: ServiceContext, _ streams: Streams, _ derivations: Derivations, _ devices: DeviceService,
        _ list: ListService
    ) {
        clients = context.clients
        observer = context.clients.observer
        alignments = streams.alignments
        self.streams = streams
        self.derivations = derivations
        self.devices = devices
        self.list = list
    }

    // MARK: messages of a stream

    func send(_ message: LaneMessage, to members: inout [Member], of resource: OwnedResource, now: BootTime) {
        if message.isAligned {
            return message.send(to: &members) { content, client in
                guard case .connection(let token, let request) = client else { return nil }
                let (readings, gaps) = (message.readings(in: content), message.gaps(in: content))
                return alignments.take(readings, gaps, of: resource, request, for: token, now)
            }
        }
        // Local variables avoid counting references and checking access for each member. Closed connections leave only at the
        // end of the turn.
        let connections = clients.connections.table
        var sending = LaneSending(message, of: resource, self, now: now)
        swap(&sending.payload, &payload)
        sending.payload.begin(message, of: resource.name)
        observer.send(message, of: resource) {
            message.send(to: &members) { sending.send($0, to: $1, in: connections) }
        }
        swap(&sending.payload, &payload)
    }

    /// Takes a message of a lane for a derivation.
    func derive(
        _ content: LaneMessage.Content, _ message: LaneMessage, of resource: OwnedResource, for index: DerivationIndex
    ) {
        derivations.take(message.readings(in: content), message.gaps(in: content), of: resource, for: index)
    }

    /// Takes something for a client with labelled requests, to be sent with what else it gets now; returns whether it will be.
    func gather(
        _ readings: SampleList, _ gaps: [Gap], of resource: OwnedResource, _ request: UInt32,
        _ form: ReadingForm, on connection: Connection, _ now: BootTime
    ) -> Bool {
        if !connection.isGathering { gathering.append(connection.token) }
        return connection.gather(readings, gaps, of: resource.name, request: request, form, now: now)
    }

    /// Delivers from several resources, such as those of one device: a client with labelled requests gets all of it in one
    /// message, and is woken once.
    func joiningRounds(_ now: BootTime, _ deliver: () -> Void) {
        guard !joinsRounds else { return deliver() }
        joinsRounds = true
        deliver()
        joinsRounds = false
        sendBundles(now)
    }

    /// Sends what has been gathered for clients with labelled requests.
    func sendBundles(_ now: BootTime) {
        guard isGathering else { return }
        for token in gathering { clients[token]?.sendBundle(now: now) }
        gathering.removeAll(keepingCapacity: true)
    }

    func willSend(from resource: OwnedResource, onlyGathering: Bool, now: BootTime) {
        streams.updates.sendAnnouncements(toMembersOf: resource, onlyGathering: onlyGathering, now)
        // A stream that gathers batches is not taken over after a crash.
        if !onlyGathering { observer.willSend(from: resource) }
    }

    func didSend(from resource: OwnedResource, onlyGathering: Bool, now: BootTime) {
        if joinsRounds {
            // The message is sent after the round to which it belongs: the next process would take it for sent.
            for token in gathering { clients[token]?.observer.mark(.amidBundle) }
        } else {
            sendBundles(now)
        }
        if !onlyGathering { observer.didSend(from: resource) }
    }

    /// All events of a device were taken: its clients have what is due to them.
    func didTakeEvents(of device: Device) { for resource in device.resources { observer.didSend(from: resource) } }

    // MARK: replies

    func sendMissed(
        _ gaps: [Gap], _ reading: Sample?, of resource: OwnedResource, withSatellites: Bool, to client: Client,
        now: BootTime
    ) {
        guard case .connection(let token, let request) = client, let connection = clients[token] else { return }
        let readings: SampleList = reading.map { [$0] } ?? []
        let taken = alignments.take(readings, gaps, of: resource, request, for: token, isMissed: true, now)
        guard taken == nil else { return }
        let form = ReadingForm(hasSatellites: withSatellites)
        if connection.isBundling, gather(readings, gaps, of: resource, request, form, on: connection, now) { return }
        let label = request > 0 ? connection.label(of: request) : nil
        connection.reply(continues: true, now: now) { writer in
            writer.readings(readings, of: resource.name, label, form)
            writer.gaps(gaps, of: resource.name, label)
        }
    }

    func answer(_ read: WaitingRead, _ outcome: WaitingRead.Outcome, of resource: OwnedResource, now: BootTime) {
        guard let connection = clients[read.connection] else { return }
        switch outcome {
        case .sample(let sample):
            answer(connection, sample, resource.name, withSatellites: read.withSatellites, now)
        case .failed(let reason):
            connection.reply(.resourceUnavailable(resource.name.description, reason: reason), now: now)
        case .timedOut: connection.reply(.timedOut, now: now)
        case .forbidden: connection.reply(.permissionDenied, now: now)
        case .dropped: break
        }
        connection.finishCall()
    }

    /// Answers a call of `Read`.
    func answer(
        _ connection: Connection, _ sample: Sample, _ name: ResourceName, withSatellites: Bool, _ now: BootTime
    ) {
        connection.reply(now: now) { writer in
            writer.key("reading")
            writer.elements([sample], of: name, nil, ReadingForm(hasSatellites: withSatellites))
        }
    }

    // MARK: events of devices and resources

    func willChangeState(of resource: OwnedResource, now: BootTime) {
        streams.updates.finishAnnouncements(of: resource.index, now)
    }

    func didChangeState(of resource: OwnedResource, now: BootTime) {
        derivations.follow(resource)
        if resource.core.state == .idle || !resource.core.state.isAvailable { alignments.interrupt(resource) }
        devices.didChangeState(of: resource, now)
        announce(resource, now)
    }

    func didChangeProfile(of resource: OwnedResource, now: BootTime) {
        streams.changes.regrant(resource.index)
        alignments.didChangePace(of: resource)
        derivations.regrant(from: resource, to: self, now)
        announce(resource, now)
    }

    func didOpen(_ resource: OwnedResource, now: BootTime) {
        observer.writeDueTimes(of: resource)
        derivations.restart(from: resource)
        alignments.interrupt(resource)
    }

    func didFail(_ resource: OwnedResource, reason: String, now: BootTime) {
        derivations.fail(from: resource, reason: reason)
    }

    func derive(from sample: Sample, of resource: OwnedResource, now: BootTime) {
        derivations.take(sample, of: resource)
    }

    func didChangeSource(_ resource: OwnedResource, now: BootTime) { derivations.follow(resource) }

    func didChangeDemand(of device: Device, now: BootTime) {
        for resource in device.resources { alignments.didChangePace(of: resource) }
        devices.didChangeDemand(of: device, now)
    }

    func didChangeInterest(in device: Device) { list.didChangeInterest() }

    /// Announces a resource's new state to every stream and every watcher of the list; if its device has another interval than
    /// was last announced, or none any more, also announces the changed grants to the streams.
    func announce(_ resource: OwnedResource, _ now: BootTime) {
        let interval = resource.core.deviceIntervalNanoseconds
        let hasNewInterval = interval != announcedIntervals[resource.index]
        announcedIntervals[resource.index] = interval
        streams.announce(resource.index, withGrants: hasNewInterval, now)
        list.change(now)
    }
}
