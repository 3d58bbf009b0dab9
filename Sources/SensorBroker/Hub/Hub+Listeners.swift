/// Listeners. Equal requests share a channel; a channel without listeners is kept for a while.
extension Hub {
    /// Adds a listener.
    mutating func listen(_ listener: Int, to request: SensorRequest, now: BootTime) {
        if let fault = request.fault { return actions.append(.end(listener, fault)) }
        let id = channel(for: request, now)
        listeners[listener] = id
        channels[id]?.listeners.insert(listener)
        channels[id]?.warmUntil = nil
        greet(listener, id, now)
        settle(now)
    }

    /// Removes a listener.
    mutating func leave(_ listener: Int, now: BootTime) {
        guard let id = listeners.removeValue(forKey: listener) else { return }
        channels[id]?.listeners.remove(listener)
        rest(id, now)
        settle(now)
    }

    /// Changes the request of one manager's listeners.
    ///
    /// If nobody else listens to their channel, the channel changes in place. Otherwise they move to another one.
    mutating func change(_ parting: Set<Int>, to request: SensorRequest, now: BootTime) {
        if let fault = request.fault {
            for listener in parting where listeners[listener] != nil { end(listener, fault) }
            return settle(now)
        }
        let former = Set(parting.compactMap { listeners[$0] })
        if let id = former.first, former.count == 1, canChangeInPlace(id, parting, request) {
            channels[id]?.request = request
        } else {
            let id = channel(for: request, now)
            for listener in parting where listeners[listener] != nil { move(listener, to: id, now) }
        }
        settle(now)
    }

    /// Closes channels on request or under memory pressure; returns how many.
    mutating func release(_ scope: ReleaseScope, evenInUse: Bool, now: BootTime) -> Int {
        let ids = channels.filter { scope.covers($0.value.request) && (evenInUse || $0.value.isWarm) }.map(\.key)
        for id in ids { fail(channel: id, .cancelled) }
        settle(now)
        return ids.count
    }

    /// Closes all unused channels because the host is short of memory.
    mutating func memoryIsShort(now: BootTime) {
        actions.append(.announce(.memoryPressure(released: release(.all, evenInUse: false, now: now))))
    }

    /// Ends a channel whose request can never be granted; its listeners get the error.
    mutating func fail(channel id: Int, _ error: SensorError) {
        for listener in channels[id]?.listeners.sorted() ?? [] { end(listener, error) }
        drop(channel: id)
    }

    /// Removes a channel from its stream.
    mutating func drop(channel id: Int) {
        guard let channel = channels.removeValue(forKey: id) else { return }
        streams[channel.stream]?.channels[channel.request.resource] = nil
    }

    private mutating func end(_ listener: Int, _ error: SensorError) {
        if let id = listeners.removeValue(forKey: listener) { channels[id]?.listeners.remove(listener) }
        actions.append(.end(listener, error))
    }

    private func canChangeInPlace(_ id: Int, _ parting: Set<Int>, _ request: SensorRequest) -> Bool {
        guard let channel = channels[id], channel.request.resource == request.resource else { return false }
        return channel.listeners.isSubset(of: parting) && !channels.values.contains { $0.request == request }
    }

    private mutating func move(_ listener: Int, to id: Int, _ now: BootTime) {
        guard let former = listeners[listener], former != id else { return }
        channels[former]?.listeners.remove(listener)
        rest(former, now)
        listeners[listener] = id
        channels[id]?.listeners.insert(listener)
        channels[id]?.warmUntil = nil
        if let grant = channels[id]?.grant { actions.append(.send([listener], .grant(grant))) }
    }

    /// The channel of a request: an existing one, or a new one in the first stream that has no channel for the
    /// resource.
    private mutating func channel(for request: SensorRequest, _ now: BootTime) -> Int {
        if let id = channels.first(where: { $0.value.request == request })?.key { return id }
        let room = streams.keys.sorted().first { streams[$0]?.channels[request.resource] == nil }
        let stream = room ?? makeID()
        let id = makeID()
        streams[stream, default: Stream(lastReceived: now)].channels[request.resource] = id
        channels[id] = Channel(request: request, stream: stream, covered: now)
        return id
    }

    /// Sends a new listener of a running channel what it would have been sent at the start.
    private mutating func greet(_ listener: Int, _ id: Int, _ now: BootTime) {
        guard let channel = channels[id] else { return }
        guard let grant = channel.grant else {
            if let error = link.error { actions.append(.send([listener], .disconnected(error))) }
            return
        }
        actions.append(.send([listener], .grant(grant)))
        if let resource = resources[channel.request.resource] {
            actions.append(.send([listener], .state(resource.state)))
        }
        if let newest = newest[channel.request.resource], channel.isFresh(newest.timestamp, now: now) {
            actions.append(.send([listener], .measured(newest)))
        }
    }

    private mutating func rest(_ id: Int, _ now: BootTime) {
        guard channels[id]?.isWarm == true else { return }
        if graceNanoseconds > 0 { channels[id]?.warmUntil = now + graceNanoseconds } else { drop(channel: id) }
    }
}
