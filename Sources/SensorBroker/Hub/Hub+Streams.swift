internal import BrokerClient
internal import Varlink

/// Streams: opening, changing and closing them, and handling their updates.
extension Hub {
    /// Opens, changes or closes a stream so that it carries its channels.
    mutating func settle(stream id: Int, _ now: BootTime) {
        guard let stream = streams[id] else { return }
        guard !stream.channels.isEmpty else {
            for connection in [stream.connection, stream.change].compactMap({ $0 }) { close(connection) }
            streams[id] = nil
            return
        }
        let wanted = requests(of: stream)
        if stream.connection == nil {
            guard link.retryAt == nil, stream.retry.at == nil else { return }
            streams[id]?.lastReceived = now
            streams[id]?.carried = wanted
            let call = Call(Interface.subscribe, parameters: ["requests": Self.list(wanted)], mode: .more)
            let connection = open(.stream(id), call)
            streams[id]?.connection = connection
        } else if let subscription = stream.subscription, stream.change == nil, wanted != stream.carried {
            let changed = wanted.filter { stream.carried[$0.key] != $0.value }
            let removed = stream.carried.keys.filter { wanted[$0] == nil }.map { $0.description }.sorted()
            var parameters: JSONObject = ["subscription": .string(subscription)]
            if !changed.isEmpty { _ = parameters.append("requests", Self.list(changed)) }
            if !removed.isEmpty { _ = parameters.append("remove", .array(removed.map { .string($0) })) }
            let change = open(.change(id, wanted), Call(Interface.modify, parameters: parameters))
            streams[id]?.change = change
            answerBy[change] = now + Self.answerNanoseconds
        }
    }

    private func requests(of stream: Stream) -> [ResourceName: SensorRequest] {
        stream.channels.compactMapValues { channels[$0]?.request }
    }

    private static func list(_ requests: [ResourceName: SensorRequest]) -> JSONValue {
        .array(requests.values.map(\.wire).sorted { $0.resource < $1.resource }.map(\.json))
    }

    /// Handles an update of a running stream.
    mutating func received(_ id: Int, _ update: Update, isLast: Bool, now: BootTime) {
        guard let connection = streams[id]?.connection else { return }
        streams[id]?.lastReceived = now
        streams[id]?.doubtedUntil = nil
        if let subscription = update.subscription { streams[id]?.subscription = subscription }
        var sent: Set<ResourceName> = []
        for resource in update.resources.compactMap({ Resource($0) }) where learn(resource, now) {
            sent.insert(resource.name)
        }
        for grant in update.grants.compactMap({ Grant($0) }) {
            send(id, grant, isStateSent: sent.contains(grant.resource), now)
        }
        for gap in update.gaps.compactMap({ Gap($0) }) {
            newest.learn(gap)
            send(id, gap.resource, .gap(gap))
        }
        for reading in update.readings {
            guard let name = ResourceName(reading.resource) else { continue }
            for measured in Measured.all(reading, of: name, kind(of: name)) { deliver(id, measured, now) }
        }
        if isLast {
            if update.ended == "shutdown" { actions.append(.announce(.brokerShutDown)) }
            breakOff(connection, .disconnected, now: now)
        } else {
            settle(stream: id, now)
        }
    }

    /// Reports a resource that has changed state or is new; false if nothing changed.
    @discardableResult
    mutating func learn(_ resource: Resource, _ now: BootTime) -> Bool {
        newest.learn(resource)
        guard resources.updateValue(resource, forKey: resource.name) != resource else { return false }
        actions.append(.announce(.resource(resource)))
        let affected = channels.filter { $0.value.request.resource == resource.name }
        for id in affected.keys { channels[id]?.silence.begin(now, isStateTold: true) }
        let listeners = affected.values.flatMap(\.listeners)
        if !listeners.isEmpty { actions.append(.send(listeners.sorted(), .state(resource.state))) }
        return true
    }

    /// Passes on a grant.
    ///
    /// The first grant of a channel is followed by the resource's present state.
    private mutating func send(_ stream: Int, _ grant: Grant, isStateSent: Bool, _ now: BootTime) {
        guard let id = streams[stream]?.channels[grant.resource], let channel = channels[id] else { return }
        channels[id]?.grant = grant
        channels[id]?.silence.begin(now, isStateTold: channel.grant == nil)
        send(stream, grant.resource, .grant(grant))
        guard channel.grant == nil else { return }
        if channel.isInterrupted { actions.append(.announce(.subscriptionRenewed(channel.request))) }
        if !isStateSent, let state = resources[grant.resource]?.state { send(stream, grant.resource, .state(state)) }
    }

    private mutating func send(_ stream: Int, _ resource: ResourceName, _ message: ListenerMessage) {
        guard let id = streams[stream]?.channels[resource], let channel = channels[id] else { return }
        if !channel.listeners.isEmpty { actions.append(.send(channel.listeners.sorted(), message)) }
    }

    private mutating func deliver(_ stream: Int, _ measured: Measured, _ now: BootTime) {
        guard let id = streams[stream]?.channels[measured.resource], let channel = channels[id] else { return }
        if channel.isInterrupted { reportInterruption(id, channel, until: measured.timestamp) }
        breakSilence(id, measured, now)
        channels[id]?.covered = max(channel.covered, measured.timestamp)
        take(measured)
        if !channel.listeners.isEmpty { actions.append(.send(channel.listeners.sorted(), .measured(measured))) }
    }

    /// Reports the gap that an absence of the broker left in a channel, if it is longer than an interval.
    private mutating func reportInterruption(_ id: Int, _ channel: Channel, until: BootTime) {
        channels[id]?.isInterrupted = false
        let interval = (channel.grant?.interval ?? .zero).clampedNanoseconds
        guard until - channel.covered > max(interval, 1) else { return }
        let gap = Gap(
            resource: channel.request.resource, cause: .disconnected, count: nil, from: channel.covered, until: until)
        actions.append(.send(channel.listeners.sorted(), .gap(gap)))
    }
}
