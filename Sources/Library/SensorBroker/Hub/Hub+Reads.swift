internal import BrokerClient
internal import Varlink

/// Single readings. A read is answered from a known reading, from a running stream, or by a call; it is always
/// answered.
extension Hub {
    /// Adds a reader that wants a reading of at most this age by a deadline.
    mutating func read(
        _ id: ReaderID, _ resource: ResourceName, maximumAge: Int64, timeout: Int64, accuracyMeters: Double?,
        now: BootTime
    ) {
        let reader = Reader(
            resource: resource, since: now + -max(0, maximumAge), deadline: now + max(0, timeout),
            accuracyMeters: accuracyMeters)
        if let known = newest[resource], reader.accepts(known) { return actions.append(.answer(id, .success(known))) }
        readers.add(id, reader)
        settleReads(now)
    }

    /// Removes a reader.
    mutating func cancelRead(_ id: ReaderID, now: BootTime) {
        guard readers.remove(id) else { return }
        actions.append(.answer(id, .failure(.cancelled)))
        settleReads(now)
    }

    /// Asks for the list of resources.
    mutating func list(_ waiter: ListerID, now: BootTime) {
        _ = open(.list(waiter), Call(Interface.listResources), answerBy: now + Self.answerNanoseconds)
    }

    /// Removes a waiter for the list.
    mutating func cancelList(_ waiter: ListerID) {
        guard let connection = connections.first(where: { $0 == .list(waiter) }) else { return }
        close(connection)
        actions.append(.list(waiter, .failure(.cancelled)))
    }

    /// Keeps a measurement from any connection, and answers the readers that it satisfies.
    mutating func take(_ measured: Measured) {
        newest.keep(measured, of: resources[measured.resource])
        for id in readers.offer(measured) { actions.append(.answer(id, .success(measured))) }
    }

    mutating func answerReaders(with reading: BrokerClient.Reading, _ now: BootTime) {
        guard let name = ResourceName(reading.resource) else { return }
        for measured in Measured.all(reading, of: name, resources.kind(of: name), isEachSample: false) {
            take(measured)
        }
        settleReads(now)
        settle(now)
    }

    mutating func failReaders(of resource: ResourceName, _ error: SensorError) {
        for id in readers.removeAll(of: resource) { actions.append(.answer(id, .failure(error))) }
    }

    /// Answers readers whose time is up with the best reading they were offered.
    mutating func expireReaders(_ now: BootTime, heardUntil: BootTime) {
        for (id, best) in readers.expire(heardUntil) {
            actions.append(.answer(id, best.map { .success($0) } ?? .failure(.timedOut)))
        }
        settleReads(now)
    }

    /// Keeps one call running for each resource that has readers, and none for others.
    mutating func settleReads(_ now: BootTime) {
        let wanted = readers.resources
        var reading: Set<ResourceName> = []
        for (connection, resource) in connections.reads {
            if wanted.contains(resource) { reading.insert(resource) } else { close(connection) }
        }
        for resource in wanted.subtracting(reading).sorted(by: { $0.description < $1.description }) {
            _ = open(.read(resource), readers.call(for: resource, newest: newest[resource]?.timestamp, now: now))
        }
    }
}
