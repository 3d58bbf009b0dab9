internal import BrokerClient
internal import Varlink

/// Handles replies and broken connections, by the purpose of the connection.
extension Hub {
    /// A reply came through a connection.
    mutating func replied(_ connection: ConnectionID, _ reply: Reply, now: BootTime) {
        guard let purpose = connections[connection] else { return }
        switch reply {
        case .success(let parameters, let continues):
            do throws(ConnectionFault) {
                try accept(parameters, continues: continues, connection, purpose, now)
            } catch {
                breakOff(connection, SensorError(error), now: now)
            }
        case .failure(let error): refused(connection, purpose, error, now)
        }
    }

    /// A connection broke or could not be made.
    mutating func lost(_ connection: ConnectionID, _ error: SensorError, now: BootTime) {
        guard let purpose = connections.remove(connection) else { return }
        switch purpose {
        case .stream:
            // Only the transport says that of itself: it cannot be, and waiting does not help.
            if case .invalidRequest = error {
                stream.reset()
                for id in stream.channels.values.sorted() { fail(channel: id, error, now) }
                break
            }
            interruptStream(error)
            if case .unintelligible = error { holdStream(error, now) } else { pause(error, now) }
        case .watch:
            // Nothing else tells those who wait for a resource that the broker is away.
            if stream.connection == nil, !stream.awaited.isEmpty { interruptStream(error) }
            if case .unintelligible = error { holdWatch(error, now) } else { pause(error, now) }
        case .change:
            interruptStream(error)
            holdStream(error, now)
        case .read(let resource): failReaders(of: resource, error)
        case .list(let waiter): actions.append(.list(waiter, .failure(error)))
        }
        settle(now)
    }

    private mutating func accept(
        _ parameters: Parameters, continues: Bool, _ connection: ConnectionID, _ purpose: Purpose, _ now: BootTime
    ) throws(ConnectionFault) {
        switch purpose {
        case .stream:
            let update = try understand { () throws(VarlinkError) in try Update(parameters) }
            answered(now)
            stream.retry.reset()
            received(update, isLast: !continues, now: now)
        case .change(let change):
            answered(now)
            close(connection)
            stream.change = nil
            accepted(change)
            settleStream(now)
        case .read:
            let reading = try understand { () throws(VarlinkError) in
                try BrokerClient.Reading(parameters.object("reading"))
            }
            answered(now)
            close(connection)
            answerReaders(with: reading, now)
        case .list(let waiter):
            let list = try resources(in: parameters)
            answered(now)
            close(connection)
            for resource in list { learn(resource, now) }
            actions.append(.list(waiter, .success(list)))
        case .watch:
            let list = try resources(in: parameters)
            answered(now)
            watchRetry.reset()
            watched(list, now)
            if !continues { breakOff(connection, .disconnected, now: now) }
        }
    }

    /// Notes that the broker gave a valid reply.
    ///
    /// An error does not count: a refused client must not ask more often because of it.
    private mutating func answered(_ now: BootTime) {
        guard link.didAnswer() else { return }
        actions.append(.announce(.connected))
        settle(now)
    }

    private func resources(in parameters: Parameters) throws(ConnectionFault) -> [Resource] {
        try understand { () throws(VarlinkError) in
            try BrokerClient.Resource.all(parameters.objects("resources"))
        }.compactMap { Resource($0) }
    }

    /// Learns the list of resources, and forgets those that are no longer in it.
    private mutating func watched(_ list: [Resource], _ now: BootTime) {
        for resource in list { learn(resource, now) }
        let names = Set(list.map(\.name))
        for gone in resources.learn(onlyThese: names) { announceAbsence(of: gone) }
        for name in Array(newest.resources) where !names.contains(name) { newest.forget(name) }
        stream.resume(names)
        settle(now)
    }

    private mutating func announceAbsence(of gone: Resource) {
        var gone = gone
        gone.state = .unavailable(reason: "\(SensorError.noSuchResource(gone.name))")
        actions.append(.announce(.resource(gone)))
    }

    /// The broker does not have a resource: listeners end, except for those that wait for it.
    private mutating func miss(_ name: ResourceName, _ now: BootTime) {
        let error = SensorError.noSuchResource(name)
        newest.forget(name)
        if let gone = resources.learnAbsence(of: name) { announceAbsence(of: gone) }
        for id in stream.channels.filter({ $0.key.resource == name }).values.sorted() {
            guard let channel = channels[id] else { continue }
            let waiting = channel.listeners.filter(listeners.isWaiting)
            if waiting.isEmpty {
                fail(channel: id, error, now)
                continue
            }
            for listener in channel.listeners.subtracting(waiting).sorted() {
                stop(listener, channel.request, error, now)
            }
            channels[id]?.grant = nil
            channels[id]?.fault = error
            if channel.covered != nil { channels[id]?.isInterrupted = true }
            if channel.fault != error { tell(error, to: waiting) }
            stream.await(name)
        }
        guard stream.awaited.contains(name) else { return }
        // Where the list says that the broker has it after all, it must not be asked again and again.
        _ = stream.held[name, default: Retry()].hold(now: now, using: &link.generator)
        // Only a list that is asked for from now on cannot be older than the refusal.
        if let watch = connections.first(where: { $0 == .watch }) { close(watch) }
    }

    /// Handles an error reply.
    ///
    /// Listeners end if the broker will never accept their request.
    private mutating func refused(
        _ connection: ConnectionID, _ purpose: Purpose, _ error: VarlinkError, _ now: BootTime
    ) {
        let reason = SensorError(error)
        switch purpose {
        case .stream:
            close(connection)
            let asked = stream.carried
            stream.reset()
            refused(asked, reason, now)
        case .change(let change):
            close(connection)
            stream.change = nil
            refused(change.requests, reason, now)
        case .read(let resource):
            close(connection)
            // The remaining readers still have time left.
            if reason != .timedOut { failReaders(of: resource, reason) }
        case .list(let waiter):
            close(connection)
            actions.append(.list(waiter, .failure(reason)))
        case .watch:
            close(connection)
            holdWatch(reason, now)
        }
        settle(now)
        settleReads(now)
    }

    /// Decides what a refusal means: one request or resource is impossible, or the whole stream has to wait.
    ///
    /// If the broker does not say which of many requests is the cause, half of them are tried first.
    private mutating func refused(_ asked: [Tag: SensorRequest], _ reason: SensorError, _ now: BootTime) {
        switch reason {
        case .noSuchResource(let name):
            let leads = channels.filter { $0.value.request.companions.contains(name) }.keys.sorted()
            for id in leads { fail(channel: id, reason, now) }
            guard stream.channels.contains(where: { $0.key.resource == name }) else {
                return leads.isEmpty ? giveUpStream(reason, now) : ()
            }
            miss(name, now)
        case .invalidRequest, .notPermitted, .tooManyRequests:
            guard asked.count == 1, let (tag, request) = asked.first else {
                if asked.isEmpty { return giveUpStream(reason, now) }
                stream.portion = asked.count / 2
                return
            }
            if case .invalidRequest = reason {
                giveUp(tag, request, reason, now)
            } else {
                hold(tag.resource, reason, now)
            }
        default: giveUpStream(reason, now)
        }
    }

    /// Ends a channel whose request can never be granted, or leaves it at the request that the broker still carries out.
    private mutating func giveUp(_ tag: Tag, _ request: SensorRequest, _ reason: SensorError, _ now: BootTime) {
        guard let id = stream.channels[tag], let channel = channels[id], channel.request == request else { return }
        guard let valid = stream.carried[tag], channel.grant != nil else { return fail(channel: id, reason, now) }
        channels[id]?.request = valid
        if !channel.listeners.isEmpty { actions.append(.send(channel.listeners.sorted(), .refused(reason))) }
    }

    private mutating func giveUpStream(_ reason: SensorError, _ now: BootTime) {
        interruptStream(reason)
        holdStream(reason, now)
    }

    /// Resets the stream, which has lost its connection, and tells its listeners.
    private mutating func interruptStream(_ error: SensorError) {
        for connection in [stream.connection, stream.change].compactMap({ $0 }) { close(connection) }
        stream.reset()
        stream.resume(stream.awaited)
        interrupt(Array(stream.channels.values), error)
    }

    private mutating func interrupt(_ ids: [ChannelID], _ error: SensorError) {
        for id in ids.sorted() {
            guard let channel = channels[id] else { continue }
            channels[id]?.isInterrupted = true
            channels[id]?.grant = nil
            channels[id]?.fault = error
            // Listeners are told once that the broker is away, and again if it was there, or turns out not to be allowed.
            switch (channel.fault, error) {
            case (nil, _), (.noSuchResource, _): tell(error, to: channel.listeners)
            case (.notPermitted, .notPermitted): break
            case (_, .notPermitted): tell(error, to: channel.listeners)
            default: break
            }
        }
    }

    /// Schedules another attempt for the stream.
    private mutating func holdStream(_ error: SensorError, _ now: BootTime) {
        _ = stream.retry.hold(now: now, using: &link.generator)
        tellPermissionLost(error, failures: stream.retry.failures)
    }

    /// Schedules another attempt for those requests of a resource that the broker does not carry out, independent of the others.
    private mutating func hold(_ resource: ResourceName, _ error: SensorError, _ now: BootTime) {
        _ = stream.held[resource, default: Retry()].hold(now: now, using: &link.generator)
        tellPermissionLost(error, failures: stream.held[resource]?.failures ?? 0)
        let waiting = stream.channels.filter { $0.key.resource == resource && stream.carried[$0.key] == nil }
        interrupt(Array(waiting.values), error)
    }

    private mutating func tellPermissionLost(_ error: SensorError, failures: Int) {
        if case .notPermitted = error, failures == 1 { actions.append(.announce(.permissionLost(error))) }
    }

    private mutating func holdWatch(_ error: SensorError, _ now: BootTime) {
        let wait = watchRetry.hold(now: now, using: &link.generator)
        if watchRetry.failures == 1 { actions.append(.announce(.disconnected(error))) }
        actions.append(.announce(.reconnecting(after: .nanoseconds(wait), attempt: watchRetry.failures)))
    }

    private mutating func pause(_ error: SensorError, _ now: BootTime) {
        resources.forgetAbsences()
        guard let wait = link.didFail(error, now: now) else { return }
        if link.failures == 1 {
            if case .notPermitted = error { actions.append(.announce(.permissionLost(error))) }
            actions.append(.announce(.disconnected(error)))
        }
        actions.append(.announce(.reconnecting(after: .nanoseconds(wait), attempt: link.failures)))
    }
}
