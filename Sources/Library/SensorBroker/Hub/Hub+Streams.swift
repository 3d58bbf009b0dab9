internal import BrokerClient
internal import Varlink

/// The stream: opening, changing and closing it, and handling its updates.
extension Hub {
    /// The broker accepts calls of at most 256 keys and 64 KiB: a request has ten keys and 300 bytes at most.
    private static let keysPerCall = 200

    /// Opens, changes or closes the stream so that it carries its channels.
    mutating func settleStream(_ now: BootTime) {
        guard !stream.channels.isEmpty else {
            for connection in [stream.connection, stream.change].compactMap({ $0 }) { close(connection) }
            stream = Stream()
            return
        }
        if stream.connection == nil {
            guard link.retryAt == nil, stream.retry.at == nil else { return }
            let first = next(among: stream.channels.keys)
            guard !first.isEmpty else { return }
            assert(stream.change == nil && stream.subscription == nil, "a stream that has not begun is not changed")
            stream.lastReceived = now
            stream.carried = first.requests
            let parameters: JSONObject = ["requests": Self.list(first.requests)]
            stream.connection = open(.stream, Call(Interface.subscribe, parameters: parameters, mode: .more))
        } else if let subscription = stream.subscription, stream.change == nil, !stream.unsettled.isEmpty {
            let next = next(among: stream.unsettled)
            guard !next.isEmpty else { return }
            var parameters: JSONObject = ["subscription": .string(subscription)]
            if !next.requests.isEmpty { _ = parameters.append("requests", Self.list(next.requests)) }
            let removed = next.removed.flatMap { tag in
                [tag.name] + (stream.carried[tag]?.companions.indices.map(tag.label(ofCompanion:)) ?? [])
            }.sorted()
            if !removed.isEmpty { _ = parameters.append("remove", .array(removed.map { .string($0) })) }
            stream.change = open(
                .change(next), Call(Interface.modify, parameters: parameters), answerBy: now + Self.answerNanoseconds)
        }
    }

    /// What the next call has to change among some channels, the oldest first; those of which nothing has to be changed are settled.
    private mutating func next(among tags: some Collection<Tag>) -> Change {
        var change = Change()
        var keys = 0
        var settled: Set<Tag> = []
        let places = tags.map { (tag: $0, id: stream.channels[$0]) }.sorted {
            ($0.id?.number ?? 0) < ($1.id?.number ?? 0)
        }
        for (tag, id) in places {
            let wanted = id.flatMap { channels[$0] }?.request
            guard wanted != stream.carried[tag] else {
                settled.insert(tag)
                continue
            }
            guard let wanted else {
                change.removed.insert(tag)
                continue
            }
            // It is tried again later, as a whole.
            if stream.holds(tag.resource) {
                settled.insert(tag)
                continue
            }
            guard change.requests.count < stream.portion, keys < Self.keysPerCall else { continue }
            keys += Self.mostKeys + 4 * wanted.companions.count
            change.requests[tag] = wanted
        }
        stream.unsettled.subtract(settled)
        return change
    }

    /// How many keys a request has that says everything.
    private static let mostKeys = 9

    private static func list(_ requests: [Tag: SensorRequest]) -> JSONValue {
        let wire = requests.flatMap { tag, request in
            var lead = request.wire
            lead.label = tag.label
            let companions = request.companions.enumerated().map { place, resource in
                var companion = BrokerClient.Request(resource: resource.description)
                companion.label = tag.label(ofCompanion: place)
                companion.intervalNanoseconds = lead.intervalNanoseconds
                companion.alignTo = tag.name
                return companion
            }
            return [lead] + companions
        }
        return .array(wire.sorted { ($0.resource, $0.label ?? "") < ($1.resource, $1.label ?? "") }.map(\.json))
    }

    /// The broker carries out a call with these requests.
    mutating func accepted(_ change: Change) {
        for (tag, request) in change.requests {
            stream.carried[tag] = request
            stream.held[tag.resource] = nil
        }
        for tag in change.removed { stream.carried[tag] = nil }
        stream.portion = .max
    }

    /// Handles an update of the running stream.
    mutating func received(_ update: Update, isLast: Bool, now: BootTime) {
        guard let connection = stream.connection else { return }
        stream.lastReceived = now
        stream.doubtedUntil = nil
        if let subscription = update.subscription {
            stream.subscription = subscription
            accepted(Change(requests: stream.carried))
        }
        var sent: Set<ResourceName> = []
        for resource in update.resources.compactMap({ Resource($0) }) where learn(resource, now) {
            sent.insert(resource.name)
        }
        for wire in update.grants {
            guard let grant = Grant(wire) else { continue }
            let tag = Tag(resource: grant.resource, label: wire.label)
            send(tag, grant, isStateSent: sent.contains(grant.resource), now)
        }
        for wire in update.gaps {
            guard let gap = Gap(wire) else { continue }
            newest.learn(gap)
            let tag = Tag(resource: gap.resource, label: wire.label)
            guard let lead = wire.label.flatMap(Tag.lead) else {
                cover(tag, until: gap.until)
                send(tag, .gap(gap))
                continue
            }
            for tag in stream.channels.keys where tag.label == lead { send(tag, .gap(gap)) }
        }
        for reading in update.readings {
            guard let name = ResourceName(reading.resource) else { continue }
            let tag = Tag(resource: name, label: reading.label)
            let isEachSample =
                update.gaps.isEmpty && stream.channels[tag].flatMap { channels[$0] }?.isOfEachSample ?? false
            var measured = Measured.all(reading, of: name, resources.kind(of: name), isEachSample: isEachSample)
            if !reading.aligned.isEmpty {
                for row in measured.indices { measured[row].companions = companions(of: tag, reading, row) }
            }
            deliver(tag, measured, now)
        }
        if isLast {
            if update.ended == "shutdown" { actions.append(.announce(.brokerShutDown)) }
            breakOff(connection, SensorError(ended: update.ended), now: now)
        } else {
            settleStream(now)
        }
    }

    /// What was measured at the time of a reading's sample, in the order of the request.
    private func companions(of tag: Tag, _ reading: BrokerClient.Reading, _ row: Int) -> [Measurement?] {
        (stream.carried[tag]?.companions ?? []).enumerated().map { place, resource in
            let label = tag.label(ofCompanion: place)
            guard let aligned = reading.aligned.first(where: { $0.label == label }),
                let kind = resources.kind(of: resource)
            else { return nil }
            if kind == .location { return aligned.location(row: row).map { .location($0) } }
            return aligned.values(of: kind, row: row).map { .values($0) }
        }
    }

    /// Reports a resource that has changed state or is new; false if nothing changed.
    @discardableResult
    mutating func learn(_ resource: Resource, _ now: BootTime) -> Bool {
        newest.learn(resource)
        guard resources.learn(resource) else { return false }
        actions.append(.announce(.resource(resource)))
        let affected = channels.filter { $0.value.request.resource == resource.name }
        for id in affected.keys { channels[id]?.silence.begin(now, isStateTold: true) }
        silenceCheck = .unknown
        let listeners = affected.values.flatMap(\.listeners)
        if !listeners.isEmpty { actions.append(.send(listeners.sorted(), .state(resource.state))) }
        return true
    }

    /// Passes on a grant.
    ///
    /// The first grant of a channel is followed by the resource's present state.
    private mutating func send(_ tag: Tag, _ grant: Grant, isStateSent: Bool, _ now: BootTime) {
        guard let id = stream.channels[tag], let channel = channels[id] else { return }
        channels[id]?.grant = grant
        channels[id]?.fault = nil
        channels[id]?.silence.begin(now, isStateTold: channel.grant == nil)
        silenceCheck = .unknown
        send(tag, .grant(grant))
        guard channel.grant == nil else { return }
        if channel.isInterrupted { actions.append(.announce(.subscriptionRenewed(channel.request))) }
        if !isStateSent, let state = resources[grant.resource]?.state { send(tag, .state(state)) }
    }

    private mutating func send(_ tag: Tag, _ message: ListenerMessage) {
        guard let id = stream.channels[tag], let channel = channels[id] else { return }
        if !channel.listeners.isEmpty { actions.append(.send(channel.listeners.sorted(), message)) }
    }

    /// Notes a gap: what has been reported is not reported again after a reconnect.
    private mutating func cover(_ tag: Tag, until: BootTime) {
        guard let id = stream.channels[tag], let covered = channels[id]?.covered else { return }
        channels[id]?.covered = max(covered, until)
    }

    /// Passes on what was measured, oldest first: all that came together goes on together, so that listeners have room for it.
    private mutating func deliver(_ tag: Tag, _ measured: [Measured], _ now: BootTime) {
        guard let first = measured.first, let last = measured.last, let id = stream.channels[tag],
            let channel = channels[id]
        else { return }
        if channel.isInterrupted { reportInterruption(id, channel, until: first.timestamp) }
        for one in measured {
            breakSilence(id, one, now)
            take(one)
        }
        channels[id]?.covered = max(channel.covered ?? last.timestamp, last.timestamp)
        if !channel.listeners.isEmpty { actions.append(.send(channel.listeners.sorted(), .measured(measured))) }
    }

    /// Reports the gap that an absence of the broker left in a channel, if a reading is missing: the next one may come somewhat
    /// late.
    private mutating func reportInterruption(_ id: ChannelID, _ channel: Channel, until: BootTime) {
        channels[id]?.isInterrupted = false
        let interval = (channel.grant?.interval ?? .zero).clampedNanoseconds
        guard let covered = channel.covered, until - covered > max(interval.addingHalf, 1) else { return }
        let gap = Gap(
            resource: channel.request.resource, cause: .disconnected, count: nil, from: covered, until: until)
        actions.append(.send(channel.listeners.sorted(), .gap(gap)))
    }
}

extension Int64 {
    /// One and a half times as much, or as much as there is room for.
    fileprivate var addingHalf: Int64 {
        let (sum, overflow) = addingReportingOverflow(self / 2)
        return overflow ? .max : sum
    }
}
