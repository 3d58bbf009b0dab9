internal import BrokerClient
internal import Varlink

/// Those who wait for one reading.
struct Readers {
    private var waiting: [ReaderID: Reader] = [:]

    /// The resources that they wait for.
    var resources: Set<ResourceName> { Set(waiting.values.map(\.resource)) }

    /// When the first of them is answered with what there is.
    var deadline: BootTime? { waiting.values.reduce(nil) { BootTime.earlier($0, $1.end) } }

    mutating func add(_ id: ReaderID, _ reader: Reader) {
        assert(waiting[id] == nil, "a reader waits once")
        waiting[id] = reader
    }

    /// Takes one away; false if it has been answered.
    mutating func remove(_ id: ReaderID) -> Bool { waiting.removeValue(forKey: id) != nil }

    /// Takes away those who wait for a resource.
    mutating func removeAll(of resource: ResourceName) -> [ReaderID] {
        let ids = waiting.filter { $0.value.resource == resource }.keys.sorted()
        for id in ids { waiting[id] = nil }
        return ids
    }

    /// Takes away those whom a measurement satisfies; the others may get it at their deadline.
    mutating func offer(_ measured: Measured) -> [ReaderID] {
        guard !waiting.isEmpty else { return [] }
        var satisfied: [ReaderID] = []
        for (id, reader) in waiting where reader.resource == measured.resource {
            if reader.accepts(measured) { satisfied.append(id) } else { waiting[id]?.consider(measured) }
        }
        for id in satisfied { waiting[id] = nil }
        return satisfied.sorted()
    }

    /// Takes away those whose time is up, with the best that each was offered.
    mutating func expire(_ now: BootTime) -> [(id: ReaderID, best: Measured?)] {
        take { now >= $0.end }
    }

    /// Takes away those of a resource for which the broker has nothing until their deadline, likewise.
    mutating func miss(_ resource: ResourceName, _ now: BootTime) -> [(id: ReaderID, best: Measured?)] {
        take { $0.resource == resource && now >= $0.deadline }
    }

    private mutating func take(_ isLate: (Reader) -> Bool) -> [(id: ReaderID, best: Measured?)] {
        let late = waiting.filter { isLate($0.value) }
        for id in late.keys { waiting[id] = nil }
        return late.map { ($0.key, $0.value.best) }.sorted { $0.id < $1.id }
    }

    /// What to ask the broker for a resource, so that the answer serves all who wait.
    func call(for resource: ResourceName, newest: BootTime?, now: BootTime) -> Call {
        let readers = waiting.values.filter { $0.resource == resource }
        assert(!readers.isEmpty, "a call is for somebody")
        // The newest known reading was not sufficient, and the broker would return the same one again.
        let earliest = newest.map { $0 + 1 } ?? BootTime(nanoseconds: .min)
        let age = now - max(readers.map(\.since).min() ?? now, earliest)
        let patience = (readers.map(\.deadline).max() ?? now) - now
        return Call(
            Interface.read,
            parameters: [
                "resource": .string(resource.description), "maximumAgeNanoseconds": .integer(max(0, age)),
                "timeoutNanoseconds": .integer(max(0, patience)),
            ])
    }
}
