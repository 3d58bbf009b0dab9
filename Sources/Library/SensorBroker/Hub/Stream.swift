internal import BrokerClient
internal import Varlink

/// The streaming call: one connection, and one subscription, for all channels of a program.
struct Stream {
    /// The connection, if there is one.
    private(set) var connection: ConnectionID?
    /// What the broker calls the subscription, known since the first reply.
    private var subscription: String?
    /// The requests that the broker carries out, as last sent.
    private(set) var carried: [Tag: SensorRequest] = [:]
    /// The connection of a pending change.
    private var change: ConnectionID?
    /// The most requests of the next call: after a refusal of many, the one that is the cause has to be found.
    private var portion = Int.max
    private(set) var pauses = StreamPauses()
    private var signs = SignsOfLife()

    /// Opens, changes or closes the stream so that it carries the channels.
    mutating func settle(_ channels: inout Channels, _ broker: inout KnownBroker, _ now: BootTime) {
        guard !channels.isEmpty else {
            close(&channels, &broker)
            self = Stream()
            return
        }
        if connection == nil {
            guard broker.link.retryAt == nil, !pauses.isWhole else { return }
            let first = next(among: channels.tags, &channels)
            guard !first.isEmpty else { return }
            assert(change == nil && subscription == nil, "a stream that has not begun is not changed")
            signs.begin(now)
            carried = first.requests
            let parameters: JSONObject = ["requests": first.wire]
            connection = broker.open(.stream, Call(Interface.subscribe, parameters: parameters, mode: .more))
        } else if let subscription, change == nil, !channels.unsettled.isEmpty {
            let next = next(among: channels.unsettled, &channels)
            guard !next.isEmpty else { return }
            var parameters: JSONObject = ["subscription": .string(subscription)]
            if !next.requests.isEmpty { parameters.member("requests", next.wire) }
            let removed = next.namesRemoved(from: carried)
            if !removed.isEmpty { parameters.member("remove", .array(removed.map { .string($0) })) }
            change = broker.open(
                .change(next), Call(Interface.modify, parameters: parameters),
                answerBy: now + KnownBroker.answerNanoseconds)
        }
    }

    /// A message of the stream came, which may be the first one.
    mutating func didReceive(_ update: Update, _ now: BootTime) {
        signs.didReceive(now)
        pauses.endWhole()
        guard let subscription = update.subscription else { return }
        self.subscription = subscription
        accept(Change(requests: carried))
    }

    /// Whether the broker carries out a request for a resource, or for one that has it beside it.
    func carries(_ resource: ResourceName) -> Bool {
        carried.contains { $0.key.resource == resource || $0.value.companions.contains(resource) }
    }

    /// The broker has answered the pending change, and carries it out.
    mutating func didChange(_ change: Change) {
        self.change = nil
        accept(change)
    }

    /// The broker carries out a call with these requests.
    private mutating func accept(_ change: Change) {
        for (tag, request) in change.requests {
            carried[tag] = request
            pauses.end(tag.resource)
        }
        for tag in change.removed { carried[tag] = nil }
        portion = .max
    }

    /// Ends the connections, and forgets what depends on them.
    private mutating func close(_ channels: inout Channels, _ broker: inout KnownBroker) {
        for connection in [connection, change].compactMap({ $0 }) { broker.close(connection) }
        connection = nil
        subscription = nil
        change = nil
        carried = [:]
        signs = SignsOfLife()
        channels.unsettleAll()
    }

    /// True when it is time to repeat something.
    mutating func takeRetries(_ channels: inout Channels, now: BootTime) -> Bool {
        let (isWholeDue, resources) = pauses.takeDue(now)
        for resource in resources { channels.unsettle(resource) }
        return isWholeDue || !resources.isEmpty
    }

    /// The connection of a stream that has been silent for so long that it is given up.
    mutating func silentConnection(_ now: BootTime) -> ConnectionID? {
        connection.flatMap { signs.areMissing(now) ? $0 : nil }
    }

    /// When something is due if nothing happens before.
    var deadline: BootTime? { BootTime.earlier(pauses.deadline, connection == nil ? nil : signs.deadline) }

    /// What the next call has to change among some channels; those of which nothing has to be changed are settled.
    private func next(among tags: some Collection<Tag>, _ channels: inout Channels) -> Change {
        let (change, settled) = Change.next(among: tags, channels, carried: carried, most: portion) { tag in
            channels.awaited.contains(tag.resource) || pauses.holds(tag.resource)
        }
        channels.settle(settled)
        return change
    }

    // MARK: what errors mean

    /// The stream cannot be, and waiting does not help: all listeners get the error.
    mutating func fail(_ error: SensorError, _ audience: inout Audience, _ broker: inout KnownBroker, _ now: BootTime) {
        close(&audience.channels, &broker)
        for id in audience.channels.ids { audience.fail(id, error, &broker, now) }
    }

    /// The stream has ended, or what it needs: informs its listeners.
    mutating func interrupt(_ error: SensorError, _ audience: inout Audience, _ broker: inout KnownBroker) {
        close(&audience.channels, &broker)
        audience.channels.resume(audience.channels.awaited)
        for id in audience.channels.ids { audience.interrupt(id, error, &broker) }
    }

    /// The stream has ended, and waits before it is opened again.
    mutating func giveUp(
        _ error: SensorError, _ audience: inout Audience, _ broker: inout KnownBroker, _ now: BootTime
    ) {
        interrupt(error, &audience, &broker)
        if pauses.holdWhole(&broker, now) == 1 { broker.announceIfNotPermitted(error) }
    }

    /// The broker has refused a change or, nil, to begin the stream.
    mutating func refused(
        _ change: Change?, _ reason: SensorError, _ audience: inout Audience, _ broker: inout KnownBroker,
        _ now: BootTime
    ) {
        let asked = change?.requests ?? carried
        if change == nil { close(&audience.channels, &broker) } else { self.change = nil }
        switch reason {
        case .noSuchResource(let name):
            let leads = audience.channels.all.filter { $0.value.request.companions.contains(name) }.map(\.key).sorted()
            for id in leads { audience.fail(id, reason, &broker, now) }
            if audience.channels.has(name) { return miss(name, &audience, &broker, now) }
            if leads.isEmpty { giveUp(reason, &audience, &broker, now) }
        case .invalidRequest, .notPermitted, .tooManyRequests:
            if asked.isEmpty { return giveUp(reason, &audience, &broker, now) }
            // The broker does not report which of many is the cause: half of them are tried first.
            guard asked.count == 1, let (tag, request) = asked.first else { return portion = asked.count / 2 }
            if case .invalidRequest = reason {
                giveUp(tag, request, reason, &audience, &broker, now)
            } else {
                hold(tag.resource, reason, &audience, &broker, now)
            }
        default: giveUp(reason, &audience, &broker, now)
        }
    }

    /// The broker does not have a resource: listeners end, except for those that wait for it.
    private mutating func miss(
        _ name: ResourceName, _ audience: inout Audience, _ broker: inout KnownBroker, _ now: BootTime
    ) {
        broker.learnAbsence(of: name)
        for id in audience.channels.ids(of: name) { audience.miss(id, &broker, now) }
        guard audience.channels.awaited.contains(name) else { return }
        // Where the list shows that the broker has it after all, it must not be asked again and again.
        _ = pauses.hold(name, &broker, now)
        // Only a list that is asked for from now on cannot be older than the refusal.
        if let watch = broker.connections.first(where: { $0 == .watch }) { broker.close(watch) }
    }

    /// Ends a channel whose request can never be granted, or leaves it at the request that the broker still carries out.
    private func giveUp(
        _ tag: Tag, _ request: SensorRequest, _ reason: SensorError, _ audience: inout Audience,
        _ broker: inout KnownBroker, _ now: BootTime
    ) {
        guard let id = audience.channels.id(of: tag), let channel = audience.channels[id], channel.request == request
        else { return }
        guard let valid = carried[tag], channel.grant != nil else { return audience.fail(id, reason, &broker, now) }
        audience.channels.setRequest(valid, of: id)
        broker.actions.send(.refused(reason), to: channel.listeners)
    }

    /// Schedules another attempt for those requests of a resource that the broker does not carry out, independent of the others.
    private mutating func hold(
        _ resource: ResourceName, _ error: SensorError, _ audience: inout Audience, _ broker: inout KnownBroker,
        _ now: BootTime
    ) {
        if pauses.hold(resource, &broker, now) == 1 { broker.announceIfNotPermitted(error) }
        for id in audience.channels.ids(of: resource) {
            guard let tag = audience.channels[id]?.tag, carried[tag] == nil else { continue }
            audience.interrupt(id, error, &broker)
        }
    }
}
