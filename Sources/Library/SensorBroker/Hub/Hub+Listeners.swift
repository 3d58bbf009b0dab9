/// Listeners. Equal requests share a channel; a channel without listeners is kept for a while.
extension Hub {
    /// Adds a listener.
    ///
    /// One that lasts does not end when its request fails: it waits for another request, or for `renew`.
    /// What was asked is the program's name for the request, if the broker gets another one.
    mutating func listen(
        _ listener: ListenerID, to request: SensorRequest, asked: SensorRequest? = nil, isLasting: Bool = false,
        now: BootTime
    ) {
        listeners.begin(listener, asked: asked == request ? nil : asked, isLasting: isLasting)
        start(listener, request, now)
        settle(now)
    }

    /// Removes a listener.
    mutating func leave(_ listener: ListenerID, now: BootTime) {
        part(listener)
        _ = listeners.end(listener)
        settle(now)
    }

    /// Changes the request of one manager's listeners.
    ///
    /// If nobody else listens to their channel, the channel changes in place. Otherwise they move to another one. An invalid
    /// request does not replace the valid one that they have.
    mutating func change(
        _ group: Set<ListenerID>, to request: SensorRequest, asked: SensorRequest? = nil, now: BootTime
    ) {
        for listener in group { listeners.setAsked(asked == request ? nil : asked, by: listener) }
        let present = group.filter { listeners.channel(of: $0) != nil }.sorted()
        let fault = request.fault
        if let fault {
            if !present.isEmpty { actions.append(.send(present, .refused(fault))) }
        } else {
            move(present, to: request, now)
        }
        for listener in group.sorted() {
            guard var stopped = listeners.stopped(listener) else { continue }
            stopped.request = request
            listeners.stop(listener, stopped)
            // What a program has released stays so until the program asks for it again.
            if stopped.error != .cancelled { restart(listener, now) }
        }
        settle(now)
    }

    /// Has a listener that has stopped listen again: always if it is asked for, else not more than once a second after a
    /// failure.
    mutating func renew(_ listener: ListenerID, isAsked: Bool, now: BootTime) {
        guard let former = listeners.stopped(listener) else { return }
        guard isAsked || former.error == .cancelled || now - former.since >= Self.renewalNanoseconds else { return }
        restart(listener, now)
        settle(now)
    }

    /// Closes channels on request or under memory pressure; returns how many.
    mutating func release(_ scope: ReleaseScope, evenInUse: Bool, now: BootTime) -> Int {
        let ids = channels.filter { (evenInUse || $0.value.isWarm) && isMeant($0.value, by: scope) }.map(\.key)
        for id in ids.sorted() { fail(channel: id, .cancelled, now) }
        settle(now)
        return ids.count
    }

    /// Closes all unused channels because the host is short of memory.
    mutating func memoryIsShort(now: BootTime) {
        actions.append(.announce(.memoryPressure(released: release(.all, evenInUse: false, now: now))))
    }

    /// Ends a channel whose request can never be granted; its listeners get the error.
    mutating func fail(channel id: ChannelID, _ error: SensorError, _ now: BootTime) {
        guard let channel = channels[id] else { return }
        for listener in channel.listeners.sorted() { stop(listener, channel.request, error, now) }
        drop(channel: id)
    }

    /// Keeps each channel for as long as it has listeners, and for the grace after that.
    ///
    /// This is decided by the listeners that there are, not by what has happened to them.
    mutating func settleChannels(_ now: BootTime) {
        coldAt = nil
        for (id, channel) in channels {
            guard channel.isWarm else {
                if channel.warmUntil != nil { channels[id]?.warmUntil = nil }
                continue
            }
            let end = channel.warmUntil ?? now + graceNanoseconds
            if now >= end {
                drop(channel: id)
            } else {
                if channel.warmUntil == nil { channels[id]?.warmUntil = end }
                coldAt = BootTime.earlier(coldAt, end)
            }
        }
    }

    /// Removes a channel from the stream.
    private mutating func drop(channel id: ChannelID) {
        guard let channel = channels.removeValue(forKey: id) else { return }
        assert(channel.listeners.isEmpty, "a channel with listeners stays")
        stream.channels[channel.tag] = nil
        stream.unsettled.insert(channel.tag)
        let resource = channel.tag.resource
        if stream.awaited.contains(resource), !stream.channels.keys.contains(where: { $0.resource == resource }) {
            stream.resume([resource])
        }
    }

    /// Whether a scope names a channel: by its request, or by what its listeners have asked for, or the last of them had.
    private func isMeant(_ channel: Channel, by scope: ReleaseScope) -> Bool {
        if scope.covers(channel.request) { return true }
        guard !channel.isWarm else { return channel.lastAsked.map(scope.covers) ?? false }
        return channel.listeners.contains { listeners.asked(by: $0).map(scope.covers) ?? false }
    }

    /// Takes a listener from its channel, if it has one.
    private mutating func part(_ listener: ListenerID) {
        guard let id = listeners.channel(of: listener) else { return }
        assert(channels[id]?.listeners.contains(listener) == true, "a channel knows its listeners")
        channels[id]?.listeners.remove(listener)
        channels[id]?.lastAsked = listeners.asked(by: listener)
    }

    /// Whether the broker is known not to have what a listener wants, and the listener does not wait for it.
    private func isInVain(_ listener: ListenerID, _ request: SensorRequest) -> Bool {
        stream.awaited.contains(request.resource) && !listeners.isWaiting(listener)
    }

    /// Sends listeners the reason for which their channel has no grant.
    mutating func tell(_ fault: SensorError, to listeners: Set<ListenerID>) {
        guard !listeners.isEmpty else { return }
        var message = ListenerMessage.disconnected(fault)
        if case .noSuchResource = fault { message = .state(.unavailable(reason: "\(fault)")) }
        actions.append(.send(listeners.sorted(), message))
    }

    /// Ends a listener for this reason; one that lasts only stops.
    mutating func stop(_ listener: ListenerID, _ request: SensorRequest, _ error: SensorError, _ now: BootTime) {
        part(listener)
        if listeners.isLasting(listener) {
            listeners.stop(listener, Stopped(request: request, error: error, since: now))
        } else {
            _ = listeners.end(listener)
            actions.append(.end(listener, error))
        }
    }

    /// Puts a listener on the channel of its request, unless that is invalid.
    private mutating func start(_ listener: ListenerID, _ request: SensorRequest, _ now: BootTime) {
        if let fault = request.fault { return stop(listener, request, fault, now) }
        if isInVain(listener, request) { return stop(listener, request, .noSuchResource(request.resource), now) }
        let id = channel(for: request, now)
        listeners.put(listener, on: id)
        channels[id]?.listeners.insert(listener)
        greet(listener, id, now)
    }

    private mutating func restart(_ listener: ListenerID, _ now: BootTime) {
        if let request = listeners.stopped(listener)?.request { start(listener, request, now) }
    }

    private mutating func move(_ present: [ListenerID], to request: SensorRequest, _ now: BootTime) {
        let former = Set(present.compactMap { listeners.channel(of: $0) })
        if let id = former.first, former.count == 1, canChangeInPlace(id, present, request) {
            channels[id]?.request = request
            if let tag = channels[id]?.tag { stream.unsettled.insert(tag) }
            return
        }
        for listener in present {
            if isInVain(listener, request) {
                stop(listener, request, .noSuchResource(request.resource), now)
                continue
            }
            let id = channel(for: request, now)
            guard listeners.channel(of: listener) != id else { continue }
            part(listener)
            listeners.put(listener, on: id)
            channels[id]?.listeners.insert(listener)
            if let grant = channels[id]?.grant { actions.append(.send([listener], .grant(grant))) }
            if let fault = channels[id]?.fault { tell(fault, to: [listener]) }
        }
    }

    private func canChangeInPlace(_ id: ChannelID, _ parting: [ListenerID], _ request: SensorRequest) -> Bool {
        guard let channel = channels[id], channel.request.resource == request.resource else { return false }
        return channel.listeners.isSubset(of: parting) && !channels.values.contains { $0.request == request }
    }

    /// The channel of a request: an existing one, or a new one, with a label if the resource has a channel without one.
    private mutating func channel(for request: SensorRequest, _ now: BootTime) -> ChannelID {
        if let id = channels.first(where: { $0.value.request == request })?.key { return id }
        let id: ChannelID = makeID()
        let plain = Tag(resource: request.resource, label: nil)
        // The names of resources are no labels, and what is aligned to it needs such.
        let isPlain = stream.channels[plain] == nil && request.companions.isEmpty
        let tag = isPlain ? plain : Tag(resource: request.resource, label: "\(id)")
        stream.channels[tag] = id
        stream.unsettled.insert(tag)
        channels[id] = Channel(request: request, tag: tag, since: now)
        return id
    }

    /// Sends a new listener of a running channel what it would have been sent at the start.
    private mutating func greet(_ listener: ListenerID, _ id: ChannelID, _ now: BootTime) {
        guard let channel = channels[id] else { return }
        guard let grant = channel.grant else {
            guard let error = channel.fault ?? link.error else { return }
            channels[id]?.fault = error
            return tell(error, to: [listener])
        }
        actions.append(.send([listener], .grant(grant)))
        if let state = state(of: channel.request.resource) { actions.append(.send([listener], .state(state))) }
        // The newest one may be a plain reading, which says nothing of what is aligned to it.
        guard channel.request.companions.isEmpty else { return }
        if let newest = newest[channel.request.resource], channel.isFresh(newest.timestamp, now: now) {
            actions.append(.send([listener], .measured([newest])))
        }
    }
}
