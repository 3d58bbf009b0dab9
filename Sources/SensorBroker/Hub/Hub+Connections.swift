internal import BrokerClient
internal import Varlink

/// Handles replies and broken connections, by the purpose of the connection.
extension Hub {
    /// A reply came through a connection.
    mutating func replied(_ connection: Int, _ reply: Reply, now: BootTime) {
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
    mutating func lost(_ connection: Int, _ error: SensorError, now: BootTime) {
        guard let purpose = connections.removeValue(forKey: connection) else { return }
        answerBy[connection] = nil
        switch purpose {
        case .stream(let id):
            interrupt(stream: id, error)
            if case .unintelligible = error { hold(stream: id, error, now) } else { pause(error, now) }
        case .watch: if case .unintelligible = error { holdWatch(error, now) } else { pause(error, now) }
        case .change(let id, _):
            interrupt(stream: id, error)
            hold(stream: id, error, now)
        case .read(let resource): failReaders(of: resource, error)
        case .list(let waiter): actions.append(.list(waiter, .failure(error)))
        }
        settle(now)
    }

    private mutating func accept(
        _ parameters: Parameters, continues: Bool, _ connection: Int, _ purpose: Purpose, _ now: BootTime
    ) throws(ConnectionFault) {
        switch purpose {
        case .stream(let id):
            let update = try understand { () throws(VarlinkError) in try Update(parameters) }
            answered(now)
            streams[id]?.retry.reset()
            received(id, update, isLast: !continues, now: now)
        case .change(let id, let carried):
            answered(now)
            close(connection)
            streams[id]?.change = nil
            streams[id]?.carried = carried
            settle(stream: id, now)
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
        for name in Array(newest.resources) where !list.contains(where: { $0.name == name }) { newest.forget(name) }
    }

    /// Handles an error reply.
    ///
    /// Listeners end if the broker will never accept their request.
    private mutating func refused(_ connection: Int, _ purpose: Purpose, _ error: VarlinkError, _ now: BootTime) {
        let reason = SensorError(error)
        switch purpose {
        case .stream(let id):
            close(connection)
            streams[id]?.reset()
            giveUp(stream: id, reason, now)
        case .change(let id, _):
            close(connection)
            streams[id]?.change = nil
            giveUp(stream: id, reason, now)
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

    /// Decides what a refusal means for a stream: one resource is impossible, or the whole stream has to wait.
    private mutating func giveUp(stream id: Int, _ reason: SensorError, _ now: BootTime) {
        if case .noSuchResource(let name) = reason, let channel = streams[id]?.channels[name] {
            return fail(channel: channel, reason, now)
        }
        guard case .invalidRequest = reason, let stream = streams[id] else {
            interrupt(stream: id, reason)
            return hold(stream: id, reason, now)
        }
        for (resource, id) in stream.channels.sorted(by: { $0.value < $1.value }) {
            guard let channel = channels[id], channel.request != stream.carried[resource] else { continue }
            if let valid = stream.carried[resource], channel.grant != nil {
                // The broker still does what was requested before.
                channels[id]?.request = valid
                if !channel.listeners.isEmpty { actions.append(.send(channel.listeners.sorted(), .refused(reason))) }
            } else {
                fail(channel: id, reason, now)
            }
        }
    }

    /// Resets a stream that lost its connection, and tells its listeners.
    private mutating func interrupt(stream id: Int, _ error: SensorError) {
        guard let stream = streams[id] else { return }
        for connection in [stream.connection, stream.change].compactMap({ $0 }) { close(connection) }
        streams[id]?.reset()
        for id in stream.channels.values {
            guard let channel = channels[id], !channel.isInterrupted else { continue }
            channels[id]?.isInterrupted = true
            channels[id]?.grant = nil
            if !channel.listeners.isEmpty { actions.append(.send(channel.listeners.sorted(), .disconnected(error))) }
        }
    }

    /// Schedules another attempt for one stream, independent of the others.
    private mutating func hold(stream id: Int, _ error: SensorError, _ now: BootTime) {
        _ = streams[id]?.retry.hold(now: now, using: &link.generator)
        if case .notPermitted = error, streams[id]?.retry.failures == 1 {
            actions.append(.announce(.permissionLost(error)))
        }
    }

    private mutating func holdWatch(_ error: SensorError, _ now: BootTime) {
        let wait = watchRetry.hold(now: now, using: &link.generator)
        if watchRetry.failures == 1 { actions.append(.announce(.disconnected(error))) }
        actions.append(.announce(.reconnecting(after: .nanoseconds(wait), attempt: watchRetry.failures)))
    }

    private mutating func pause(_ error: SensorError, _ now: BootTime) {
        guard let wait = link.didFail(error, now: now) else { return }
        if link.failures == 1 {
            if case .notPermitted = error { actions.append(.announce(.permissionLost(error))) }
            actions.append(.announce(.disconnected(error)))
        }
        actions.append(.announce(.reconnecting(after: .nanoseconds(wait), attempt: link.failures)))
    }
}
