internal import BrokerClient
internal import Varlink

/// What callers wait for: single readings, and lists of resources.
///
/// Each call is answered. A read is answered from a known reading, from a running stream, or by a call.
struct Answers {
    private var readers = Readers()

    /// When the first reader is answered with what there is.
    var deadline: BootTime? { readers.deadline }

    /// Adds a reader, or answers it at once.
    mutating func read(_ id: ReaderID, _ reader: Reader, _ broker: inout KnownBroker, _ now: BootTime) {
        if let known = broker.newest[reader.resource], reader.accepts(known) {
            return broker.actions.append(.answer(id, .success(known)))
        }
        readers.add(id, reader)
        settle(&broker, now)
    }

    /// Removes a reader.
    mutating func cancelRead(_ id: ReaderID, _ broker: inout KnownBroker, _ now: BootTime) {
        guard readers.remove(id) else { return }
        broker.actions.append(.answer(id, .failure(.cancelled)))
        settle(&broker, now)
    }

    /// Asks for the list of resources.
    func list(_ waiter: ListerID, _ broker: inout KnownBroker, _ now: BootTime) {
        _ = broker.open(
            .list(waiter), Call(Interface.listResources), answerBy: now + KnownBroker.answerNanoseconds)
    }

    /// Removes a waiter for the list.
    func cancelList(_ waiter: ListerID, _ broker: inout KnownBroker) {
        guard let connection = broker.connections.first(where: { $0 == .list(waiter) }) else { return }
        broker.close(connection)
        broker.actions.append(.list(waiter, .failure(.cancelled)))
    }

    /// Keeps a measurement from any connection, and answers the readers that it satisfies.
    mutating func take(_ measured: Measured, _ broker: inout KnownBroker) {
        broker.keep(measured)
        for id in readers.offer(measured) { broker.actions.append(.answer(id, .success(measured))) }
    }

    /// Takes in the answer to a call for one reading.
    mutating func take(_ reading: BrokerClient.Reading, _ broker: inout KnownBroker, _ now: BootTime) {
        guard let name = ResourceName(reading.resource) else { return }
        for measured in Measured.all(reading, of: name, broker.resources.kind(of: name), isEachSample: false) {
            take(measured, &broker)
        }
        settle(&broker, now)
    }

    /// Answers the readers of a resource with an error.
    mutating func fail(_ resource: ResourceName, _ error: SensorError, _ broker: inout KnownBroker) {
        for id in readers.removeAll(of: resource) { broker.actions.append(.answer(id, .failure(error))) }
    }

    /// Answers readers whose time is up with the best reading they were offered.
    mutating func expire(_ now: BootTime, readUntil: BootTime, _ broker: inout KnownBroker) {
        end(readers.expire(readUntil), &broker)
        settle(&broker, now)
    }

    /// The broker has had no reading in time; readers with a later deadline still have time left.
    mutating func miss(_ resource: ResourceName, _ broker: inout KnownBroker, _ now: BootTime) {
        end(readers.miss(resource, now), &broker)
    }

    private func end(_ late: [(id: ReaderID, best: Measured?)], _ broker: inout KnownBroker) {
        for (id, best) in late {
            broker.actions.append(.answer(id, best.map { .success($0) } ?? .failure(.timedOut)))
        }
    }

    /// Keeps one call running for each resource that has readers, and none for others.
    func settle(_ broker: inout KnownBroker, _ now: BootTime) {
        let wanted = readers.resources
        var reading: Set<ResourceName> = []
        for (connection, resource) in broker.connections.reads {
            if wanted.contains(resource) { reading.insert(resource) } else { broker.close(connection) }
        }
        for resource in wanted.subtracting(reading).sorted(by: { $0.description < $1.description }) {
            let newest = broker.newest[resource]?.timestamp
            _ = broker.open(.read(resource), readers.call(for: resource, newest: newest, now: now))
        }
    }
}
