internal import BrokerClient

/// What comes through the stream, and who gets it: states, grants, gaps and readings; and that nothing comes.
///
/// What is known of a resource is not called live if no reading has come for longer than its interval explains. The stream goes on, and
/// is given up only later (`SignsOfLife`): a busy host may be late, and one that slept could not receive anything.
struct Reception {
    private var silences = SilenceWatch()

    /// When some channel may count as silent.
    mutating func deadline(_ channels: Channels, _ broker: KnownBroker) -> BootTime? {
        silences.deadline(channels, broker.resources)
    }

    /// Notes channels that have been silent for too long, and informs their listeners.
    mutating func noteSilence(_ channels: inout Channels, _ broker: inout KnownBroker, _ now: BootTime) {
        for id in silences.due(now, channels, broker.resources) {
            channels.update(id) { $0.silence.setSilent() }
            guard let channel = channels[id] else { continue }
            broker.actions.send(.state(.stale(reason: channel.silentReason)), to: channel.listeners)
        }
    }

    /// Reports a resource that has changed state or is new; false if nothing changed.
    @discardableResult
    mutating func learn(
        _ resource: Resource, _ channels: inout Channels, _ broker: inout KnownBroker, _ now: BootTime
    ) -> Bool {
        guard broker.learn(resource) else { return false }
        let affected = channels.ids(of: resource.name)
        for id in affected { channels.update(id) { $0.silence.begin(now, isStateSent: true) } }
        silences.reset()
        broker.actions.send(.state(resource.state), to: affected.flatMap { channels[$0]?.listeners ?? [] })
        return true
    }

    /// Passes on what a message of the stream has; those who wait for one reading get what was measured as well.
    mutating func receive(
        _ update: Update, _ stream: Stream, _ channels: inout Channels, _ broker: inout KnownBroker,
        _ answers: inout Answers, _ now: BootTime
    ) {
        var sent: Set<ResourceName> = []
        for resource in update.resources.compactMap({ Resource($0) }) {
            // A peer may report ever more resources.
            guard channels.want(resource.name) || stream.carries(resource.name) else { continue }
            if learn(resource, &channels, &broker, now) { sent.insert(resource.name) }
        }
        for wire in update.grants {
            guard let grant = Grant(wire), let id = channels.id(of: Tag(resource: grant.resource, label: wire.label))
            else { continue }
            accept(grant, of: id, isStateSent: sent.contains(grant.resource), &channels, &broker, now)
        }
        for wire in update.gaps { if let gap = Gap(wire) { pass(gap, label: wire.label, &channels, &broker) } }
        for reading in update.readings {
            guard let name = ResourceName(reading.resource) else { continue }
            let tag = Tag(resource: name, label: reading.label)
            let id = channels.id(of: tag)
            let isEachSample = update.gaps.isEmpty && id.flatMap { channels[$0] }?.isOfEachSample ?? false
            var measured = Measured.all(
                reading, of: name, broker.resources.kind(of: name), isEachSample: isEachSample)
            if !reading.aligned.isEmpty {
                let companions = stream.carried[tag]?.companions ?? []
                for row in measured.indices {
                    measured[row].companions = tag.companions(companions, in: reading, row, broker.resources)
                    measured[row].companionNames = companions
                }
            }
            guard let id else { continue }
            if let first = measured.first { reportInterruption(of: id, until: first.timestamp, &channels, &broker) }
            for one in measured {
                breakSilence(of: id, one, &channels, &broker, now)
                answers.take(one, &broker)
            }
            deliver(measured, to: id, &channels, &broker)
        }
    }

    /// Passes on a grant; the first one of a channel is followed by the resource's present state.
    private mutating func accept(
        _ grant: Grant, of id: ChannelID, isStateSent: Bool, _ channels: inout Channels, _ broker: inout KnownBroker,
        _ now: BootTime
    ) {
        guard let channel = channels[id] else { return }
        let isFirst = channel.grant == nil
        channels.update(id) { channel in
            channel.grant = grant
            channel.fault = nil
            channel.silence.begin(now, isStateSent: isFirst)
        }
        silences.reset()
        broker.actions.send(.grant(grant), to: channel.listeners)
        guard isFirst else { return }
        if channel.isInterrupted { broker.actions.announce(.subscriptionRenewed(channel.request)) }
        guard !isStateSent, let state = broker.resources[grant.resource]?.state else { return }
        broker.actions.send(.state(state), to: channel.listeners)
    }

    /// Passes on a gap: what has been reported is not reported again after a reconnect.
    ///
    /// A gap of what is aligned to a request is its listeners'.
    private func pass(_ gap: Gap, label: String?, _ channels: inout Channels, _ broker: inout KnownBroker) {
        broker.learn(gap)
        if let lead = label.flatMap(Tag.lead) {
            for tag in channels.tags where tag.label == lead { send(gap, to: tag, channels, &broker) }
            return
        }
        let tag = Tag(resource: gap.resource, label: label)
        if let id = channels.id(of: tag) {
            channels.update(id) { channel in channel.covered = channel.covered.map { max($0, gap.until) } }
        }
        send(gap, to: tag, channels, &broker)
    }

    private func send(_ gap: Gap, to tag: Tag, _ channels: Channels, _ broker: inout KnownBroker) {
        guard let channel = channels.id(of: tag).flatMap({ channels[$0] }) else { return }
        broker.actions.send(.gap(gap), to: channel.listeners(concernedBy: gap))
    }

    /// Notes a reading of a channel; after a silence, its listeners are informed that the resource delivers again.
    private mutating func breakSilence(
        of id: ChannelID, _ measured: Measured, _ channels: inout Channels, _ broker: inout KnownBroker, _ now: BootTime
    ) {
        let wasSilent = channels[id]?.silence.isSilent == true
        channels.update(id) { $0.silence.didReceive(measured.timestamp, now: now) }
        guard let channel = channels[id] else { return }
        silences.didReceive(channel, broker.resources)
        guard wasSilent, let state = broker.resources[measured.resource]?.state else { return }
        broker.actions.send(.state(state), to: channel.listeners)
    }

    /// Passes on what was measured, oldest first: all that came together goes on together, so that listeners have room for it.
    private func deliver(
        _ measured: [Measured], to id: ChannelID, _ channels: inout Channels, _ broker: inout KnownBroker
    ) {
        guard let last = measured.last, let channel = channels[id] else { return }
        channels.update(id) { channel in
            channel.covered = max(channel.covered ?? last.timestamp, last.timestamp)
            channel.newcomers = [:]
        }
        guard !channel.pasts.isEmpty else { return broker.actions.send(.measured(measured), to: channel.listeners) }
        broker.actions.send(.measured(measured), to: channel.listeners.subtracting(channel.pasts.keys))
        for (listener, past) in channel.pasts.sorted(by: { $0.key < $1.key }) {
            let new = measured.filter { $0.timestamp > past.covered }
            guard let first = new.first else { continue }
            channels.update(id) { $0.pasts[listener] = nil }
            if let gap = channel.gap(since: past, until: first.timestamp) {
                broker.actions.send(.gap(gap), to: [listener])
            }
            broker.actions.send(.measured(new), to: [listener])
        }
    }

    /// Reports the gap that an absence of the broker left in a channel, if a reading is missing: the next one may come somewhat
    /// late.
    private func reportInterruption(
        of id: ChannelID, until: BootTime, _ channels: inout Channels, _ broker: inout KnownBroker
    ) {
        guard let channel = channels[id], channel.isInterrupted, until > channel.covered ?? until + -1 else { return }
        channels.update(id) { $0.isInterrupted = false }
        let interval = (channel.grant?.interval ?? .zero).clampedNanoseconds
        guard let covered = channel.covered, until - covered > max(interval.addingHalf, 1) else { return }
        let gap = Gap(
            resource: channel.request.resource, cause: .disconnected, count: nil, from: covered, until: until)
        broker.actions.send(.gap(gap), to: channel.listeners(concernedBy: gap))
    }
}

extension Tag {
    /// What was measured at the time of a reading's sample, in the order of the request.
    fileprivate func companions(
        _ names: [ResourceName], in reading: BrokerClient.Reading, _ row: Int, _ resources: ResourceList
    ) -> [Measurement?] {
        names.enumerated().map { index, resource in
            let label = label(ofCompanion: index)
            guard let aligned = reading.aligned.first(where: { $0.label == label }),
                let kind = resources.kind(of: resource)
            else { return nil }
            if kind == .location { return aligned.location(row: row).map { .location($0) } }
            return aligned.values(of: kind, row: row).map { .values($0) }
        }
    }
}

extension Int64 {
    /// One and a half times as much, or as much as there is room for.
    fileprivate var addingHalf: Int64 {
        let (sum, overflow) = addingReportingOverflow(self / 2)
        return overflow ? .max : sum
    }
}
