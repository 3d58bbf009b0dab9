internal import BrokerClient
internal import Varlink

/// Connections: what their replies mean, and what becomes of their purposes when they break.
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
            pause(error, now)
        case .watch: pause(error, now)
        case .change(let id, _): restart(stream: id, now)
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
            heard(id, update, isLast: !continues, now: now)
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
            for resource in list { learn(resource) }
            actions.append(.list(waiter, .success(list)))
        case .watch:
            let list = try resources(in: parameters)
            answered(now)
            watched(list)
        }
    }

    /// The broker said something that makes sense.
    ///
    /// An error is none: who is refused must not ask more often for it.
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

    /// What is not in the list any more is gone.
    private mutating func watched(_ list: [Resource]) {
        for resource in list { learn(resource) }
        for name in Array(newest.resources) where !list.contains(where: { $0.name == name }) { newest.forget(name) }
    }

    /// The broker said no; what it will never say yes to ends those who asked.
    private mutating func refused(_ connection: Int, _ purpose: Purpose, _ error: VarlinkError, _ now: BootTime) {
        let reason = SensorError(error)
        switch purpose {
        case .stream(let id):
            close(connection)
            streams[id]?.reset()
            give(up: id, reason, now)
        case .change(let id, _):
            close(connection)
            streams[id]?.change = nil
            if case .other(Interface.error("NoSuchSubscription"), _) = error {
                restart(stream: id, now)
            } else {
                give(up: id, reason, now)
            }
        case .read(let resource):
            close(connection)
            // Those who are still waiting have time left.
            if reason != .timedOut { failReaders(of: resource, reason) }
        case .list(let waiter):
            close(connection)
            actions.append(.list(waiter, .failure(reason)))
        case .watch:
            close(connection)
            pause(reason, now)
        }
        settle(now)
        settleReads(now)
    }

    /// What a refusal means for a stream: one resource is not to be had, or all are not for now.
    private mutating func give(up id: Int, _ reason: SensorError, _ now: BootTime) {
        switch reason {
        case .noSuchResource(let name):
            if let channel = streams[id]?.channels[name] { return fail(channel: channel, reason) }
            interrupt(stream: id, reason)
            pause(reason, now)
        case .invalidRequest:
            let refused = streams[id]?.channels.filter { resource, channel in
                channels[channel]?.request != streams[id]?.carried[resource]
            }
            for channel in refused?.values.sorted() ?? [] { fail(channel: channel, reason) }
        default:
            interrupt(stream: id, reason)
            pause(reason, now)
        }
    }

    /// The stream is to begin anew, since what the broker thinks of it is not known.
    private mutating func restart(stream id: Int, _ now: BootTime) {
        guard let connection = streams[id]?.connection else { return }
        close(connection)
        interrupt(stream: id, .disconnected)
        pause(.disconnected, now)
    }

    private mutating func interrupt(stream id: Int, _ error: SensorError) {
        guard let stream = streams[id] else { return }
        if let change = stream.change { close(change) }
        streams[id]?.reset()
        for id in stream.channels.values {
            guard let channel = channels[id], !channel.isInterrupted else { continue }
            channels[id]?.isInterrupted = true
            channels[id]?.grant = nil
            if !channel.listeners.isEmpty { actions.append(.tell(channel.listeners.sorted(), .disconnected(error))) }
        }
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
