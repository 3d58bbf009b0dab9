/// Who listens, and on which channels: one who comes, wants something else, is refused, or leaves.
struct Audience {
    /// How long a failed request rests before it is repeated without being asked for.
    private static let renewalNanoseconds: Int64 = 1_000_000_000

    /// How long a channel without listeners is kept.
    private let graceNanoseconds: Int64
    private(set) var listeners = Listeners()
    /// The channels that they are on.
    var channels = Channels()
    /// When the first channel without listeners may have to be closed.
    private(set) var coldAt: BootTime?

    init(graceNanoseconds: Int64) { self.graceNanoseconds = graceNanoseconds }

    /// Adds a listener, as `Hub.listen`.
    mutating func listen(
        _ listener: ListenerID, to request: SensorRequest, asked: SensorRequest?, isLasting: Bool,
        _ broker: inout KnownBroker, _ now: BootTime
    ) {
        listeners.begin(listener, asked: asked, isLasting: isLasting)
        start(listener, request, &broker, now)
    }

    /// Puts a listener on the channel of a request, unless that is invalid.
    private mutating func start(
        _ listener: ListenerID, _ request: SensorRequest, _ broker: inout KnownBroker, _ now: BootTime
    ) {
        if let fault = request.fault { return stop(listener, request, fault, &broker, now) }
        if isInVain(listener, request) {
            return stop(listener, request, .noSuchResource(request.resource), &broker, now)
        }
        let id = channels.id(of: request) ?? channels.add(request, since: now)
        listeners.put(listener, on: id)
        channels.join(listener, id)
        greet(listener, id, &broker, now)
    }

    /// Takes a listener from its channel, for good.
    mutating func leave(_ listener: ListenerID) {
        part(listener)
        _ = listeners.end(listener)
    }

    /// Changes the request of one manager's listeners, as `Hub.change`.
    mutating func change(
        _ group: Set<ListenerID>, to request: SensorRequest, asked: SensorRequest?, _ broker: inout KnownBroker,
        _ now: BootTime
    ) {
        for listener in group { listeners.setAsked(asked, by: listener) }
        let present = group.filter { listeners.channel(of: $0) != nil }.sorted()
        if let fault = request.fault {
            broker.actions.send(.refused(fault), to: present)
        } else {
            move(present, to: request, &broker, now)
        }
        for listener in group.sorted() {
            guard var stopped = listeners.stopped(listener) else { continue }
            stopped.request = request
            listeners.stop(listener, stopped)
            // What a program has released stays so until the program asks for it again.
            if stopped.error != .cancelled { start(listener, request, &broker, now) }
        }
    }

    /// Has a listener that has stopped listen again, if it is time for that, as `Hub.renew`; false: nothing has changed.
    mutating func renew(
        _ listener: ListenerID, isAsked: Bool, _ broker: inout KnownBroker, _ now: BootTime
    ) -> Bool {
        guard let former = listeners.stopped(listener) else { return false }
        guard isAsked || former.error == .cancelled || now - former.since >= Self.renewalNanoseconds else {
            return false
        }
        start(listener, former.request, &broker, now)
        return true
    }

    /// Ends the channels that a scope names, by their requests, or by what their listeners have asked for, or the last of them had;
    /// returns how many.
    mutating func release(
        _ scope: ReleaseScope, evenInUse: Bool, _ broker: inout KnownBroker, _ now: BootTime
    ) -> Int {
        let meant = channels.all.filter { _, channel in
            guard evenInUse || channel.isWarm else { return false }
            if scope.covers(channel.request) { return true }
            guard !channel.isWarm else { return channel.lastAsked.map(scope.covers) ?? false }
            return channel.listeners.contains { listeners.asked(by: $0).map(scope.covers) ?? false }
        }
        for id in meant.map(\.key).sorted() { fail(id, .cancelled, &broker, now) }
        return meant.count
    }

    /// Ends a channel whose request can never be granted; its listeners get the error.
    mutating func fail(
        _ id: ChannelID, _ error: SensorError, _ broker: inout KnownBroker, _ now: BootTime
    ) {
        guard let channel = channels[id] else { return }
        for listener in channel.listeners.sorted() { stop(listener, channel.request, error, &broker, now) }
        channels.remove(id)
    }

    /// The broker does not have a channel's resource: listeners end, except for those that wait for it.
    mutating func miss(_ id: ChannelID, _ broker: inout KnownBroker, _ now: BootTime) {
        guard let channel = channels[id] else { return }
        let error = SensorError.noSuchResource(channel.request.resource)
        let waiting = channel.listeners.filter(listeners.isWaiting)
        guard !waiting.isEmpty else { return fail(id, error, &broker, now) }
        for listener in channel.listeners.subtracting(waiting).sorted() {
            stop(listener, channel.request, error, &broker, now)
        }
        channels.update(id) { channel in
            channel.grant = nil
            channel.fault = error
            if channel.covered != nil { channel.isInterrupted = true }
        }
        if channel.fault != error { report(error, to: waiting, &broker) }
        channels.await(channel.request.resource)
    }

    /// The broker does not carry out a channel's request for now.
    ///
    /// Listeners are informed once that the broker is away, and again if it was there, or turns out not to be allowed.
    mutating func interrupt(_ id: ChannelID, _ error: SensorError, _ broker: inout KnownBroker) {
        guard let channel = channels[id] else { return }
        channels.update(id) { channel in
            channel.isInterrupted = true
            channel.grant = nil
            channel.fault = error
            // A stream begins with the newest reading, also where the broker was there all the time.
            for listener in channel.listeners { channel.pasts[listener] = channel.past(of: listener) }
        }
        switch (channel.fault, error) {
        case (nil, _), (.noSuchResource, _): report(error, to: channel.listeners, &broker)
        case (.notPermitted, .notPermitted): break
        case (_, .notPermitted): report(error, to: channel.listeners, &broker)
        default: break
        }
    }

    /// Why a listener gets nothing; nil if it does, or is about to.
    func failure(of listener: ListenerID) -> SensorError? {
        if let stopped = listeners.stopped(listener) { return stopped.error }
        guard let channel = listeners.channel(of: listener).flatMap({ channels[$0] }), channel.grant == nil else {
            return nil
        }
        return channel.fault
    }

    /// Why the listeners of a resource get nothing, of those that do not.
    func failures(of resource: ResourceName) -> [ListenerID: SensorError] {
        var failures = listeners.failures(of: resource)
        for channel in channels.of(resource) where channel.grant == nil {
            guard let fault = channel.fault else { continue }
            for listener in channel.listeners { failures[listener] = fault }
        }
        return failures
    }

    /// Keeps each channel for as long as it has listeners, and for the grace after that.
    ///
    /// This is decided by the listeners that there are, not by what has happened to them.
    mutating func closeCold(_ now: BootTime) {
        coldAt = nil
        for id in channels.warm {
            let end = channels[id]?.warmUntil ?? now + graceNanoseconds
            if now >= end {
                channels.remove(id)
            } else {
                channels.update(id) { $0.warmUntil = end }
                coldAt = BootTime.earlier(coldAt, end)
            }
        }
    }

    /// Takes a listener from its channel, if it has one.
    private mutating func part(_ listener: ListenerID) {
        guard let id = listeners.channel(of: listener) else { return }
        channels.leave(listener, id, asked: listeners.asked(by: listener))
    }

    /// Ends a listener for this reason; one that lasts only stops.
    private mutating func stop(
        _ listener: ListenerID, _ request: SensorRequest, _ error: SensorError,
        _ broker: inout KnownBroker, _ now: BootTime
    ) {
        part(listener)
        if listeners.isLasting(listener) {
            listeners.stop(listener, Stopped(request: request, error: error, since: now))
        } else {
            _ = listeners.end(listener)
            broker.actions.append(.end(listener, error))
        }
    }

    /// Whether the broker is known not to have what a listener wants, and the listener does not wait for it.
    private func isInVain(_ listener: ListenerID, _ request: SensorRequest) -> Bool {
        channels.awaited.contains(request.resource) && !listeners.isWaiting(listener)
    }

    /// Puts listeners on the channel of another request; if they are alone on theirs, that one changes in place.
    private mutating func move(
        _ present: [ListenerID], to request: SensorRequest, _ broker: inout KnownBroker,
        _ now: BootTime
    ) {
        let former = Set(present.compactMap { listeners.channel(of: $0) })
        if let id = former.first, former.count == 1, let channel = channels[id],
            channel.request.resource == request.resource, channel.listeners.isSubset(of: present),
            channels.id(of: request) == nil
        {
            channels.setRequest(request, of: id)
            return channels.unsettle(channel.tag)
        }
        for listener in present {
            if isInVain(listener, request) {
                stop(listener, request, .noSuchResource(request.resource), &broker, now)
                continue
            }
            let id = channels.id(of: request) ?? add(request, for: listener, now)
            guard listeners.channel(of: listener) != id else { continue }
            let former = listeners.channel(of: listener).flatMap { channels[$0] }
            let isSame = former?.request.resource == request.resource
            let past = isSame ? former?.past(of: listener) : nil
            part(listener)
            listeners.put(listener, on: id)
            channels.join(listener, id)
            channels.update(id) { channel in
                channel.newcomers[listener] = former?.newcomers[listener]
                channel.pasts[listener] = past
            }
            if let grant = channels[id]?.grant { broker.actions.send(.grant(grant), to: [listener]) }
            // It knows the fault of its former channel.
            let isKnown = isSame && former?.fault != nil
            if let fault = channels[id]?.fault, !isKnown { report(fault, to: [listener], &broker) }
        }
    }

    /// Adds a channel for a listener that has another one; what it knows of the resource it goes on knowing.
    private mutating func add(_ request: SensorRequest, for listener: ListenerID, _ now: BootTime) -> ChannelID {
        let id = channels.add(request, since: now)
        let former = listeners.channel(of: listener).flatMap { channels[$0] }
        if let former, former.request.resource == request.resource {
            channels.update(id) { channel in
                (channel.covered, channel.isInterrupted) = (former.covered, former.isInterrupted)
                channel.fault = former.fault
            }
        }
        return id
    }

    /// Sends a new listener of a running channel what it would have been sent at the start.
    private mutating func greet(
        _ listener: ListenerID, _ id: ChannelID, _ broker: inout KnownBroker, _ now: BootTime
    ) {
        guard let channel = channels[id] else { return }
        // Of a stream that begins for it, the broker knows what it misses.
        if channel.grant != nil || channel.covered != nil { channels.update(id) { $0.newcomers[listener] = now } }
        guard let grant = channel.grant else {
            guard let error = channel.fault ?? broker.link.error else { return }
            channels.update(id) { $0.fault = error }
            return report(error, to: [listener], &broker)
        }
        let resource = channel.request.resource
        broker.actions.send(.grant(grant), to: [listener])
        if let state = broker.state(of: resource, channels) { broker.actions.send(.state(state), to: [listener]) }
        let newest = broker.newest[resource, channel.request.companions]
        if let newest, channel.isFresh(newest.timestamp, now: now) {
            channels.update(id) { channel in
                channel.newcomers[listener] = nil
                // Another channel may have had it before.
                channel.pasts[listener] = Past(covered: newest.timestamp, gathered: nil)
            }
            broker.actions.send(.measured([newest]), to: [listener])
        }
    }

    /// Sends listeners the reason for which their channel has no grant.
    private func report(_ fault: SensorError, to listeners: Set<ListenerID>, _ broker: inout KnownBroker) {
        if case .noSuchResource = fault {
            broker.actions.send(.state(.unavailable(reason: "\(fault)")), to: listeners)
        } else {
            broker.actions.send(.disconnected(fault), to: listeners)
        }
    }
}
