internal import BrokerClient
internal import Varlink

/// One reading for who asks for one: of what is known, what comes anyway, or by a call; and always an answer.
extension Hub {
    /// Somebody wants a reading no older than so much, by then.
    mutating func read(
        _ id: Int, _ resource: ResourceName, maximumAge: Int64, timeout: Int64, accuracyMeters: Double?, now: BootTime
    ) {
        let reader = Reader(
            resource: resource, since: now + -max(0, maximumAge), deadline: now + max(0, timeout),
            accuracyMeters: accuracyMeters)
        if let known = newest[resource], reader.accepts(known) { return actions.append(.answer(id, .success(known))) }
        readers[id] = reader
        settleReads(now)
    }

    /// Somebody waits no more.
    mutating func cancelRead(_ id: Int, now: BootTime) {
        guard readers.removeValue(forKey: id) != nil else { return }
        actions.append(.answer(id, .failure(.cancelled)))
        settleReads(now)
    }

    /// Somebody wants the list of resources.
    mutating func list(_ waiter: Int, now: BootTime) {
        let connection = open(.list(waiter), Call(Interface.listResources))
        answerBy[connection] = now + Self.answerNanoseconds
    }

    /// Somebody waits for the list no more.
    mutating func cancelList(_ waiter: Int) {
        guard let connection = connections.first(where: { $0.value == .list(waiter) })?.key else { return }
        close(connection)
        actions.append(.list(waiter, .failure(.cancelled)))
    }

    /// A measurement arrived, from wherever: it is kept, and may be what somebody waits for.
    mutating func take(_ measured: Measured) {
        newest.keep(measured, of: resources[measured.resource])
        for (id, reader) in readers where reader.resource == measured.resource {
            if reader.accepts(measured) {
                readers[id] = nil
                actions.append(.answer(id, .success(measured)))
            } else {
                readers[id]?.consider(measured)
            }
        }
    }

    /// What a resource measures: as the broker says, else as its name does.
    func kind(of resource: ResourceName) -> Kind? { resources[resource]?.kind ?? Kind(resource: resource.word) }

    mutating func answerReaders(with reading: BrokerClient.Reading, _ now: BootTime) {
        guard let name = ResourceName(reading.resource) else { return }
        for measured in Measured.all(reading, of: name, kind(of: name)) { take(measured) }
        settleReads(now)
        settle(now)
    }

    mutating func failReaders(of resource: ResourceName, _ error: SensorError) {
        for (id, reader) in readers where reader.resource == resource {
            readers[id] = nil
            actions.append(.answer(id, .failure(error)))
        }
    }

    /// When time is up, the best that there was is the answer.
    mutating func expireReaders(_ now: BootTime) {
        for (id, reader) in readers where now >= reader.deadline {
            readers[id] = nil
            actions.append(.answer(id, reader.best.map { .success($0) } ?? .failure(.timedOut)))
        }
        settleReads(now)
    }

    /// One call is under way for each resource that somebody waits for, and none for others.
    mutating func settleReads(_ now: BootTime) {
        let wanted = Set(readers.values.map(\.resource))
        var reading: Set<ResourceName> = []
        for (connection, purpose) in connections {
            guard case .read(let resource) = purpose else { continue }
            if wanted.contains(resource) { reading.insert(resource) } else { close(connection) }
        }
        for resource in wanted.subtracting(reading).sorted(by: { $0.description < $1.description }) {
            let waiting = readers.values.filter { $0.resource == resource }
            // The newest that is known was not enough: the broker would give it again, as often as it is asked.
            let news = newest[resource].map { $0.timestamp + 1 } ?? BootTime(nanoseconds: .min)
            let age = now - max(waiting.map(\.since).min() ?? now, news)
            let patience = (waiting.map(\.deadline).max() ?? now) - now
            let parameters: JSONObject = [
                "resource": .string(resource.description), "maximumAgeNanoseconds": .integer(max(0, age)),
                "timeoutNanoseconds": .integer(max(0, patience)),
            ]
            _ = open(.read(resource), Call(Interface.read, parameters: parameters))
        }
    }
}
