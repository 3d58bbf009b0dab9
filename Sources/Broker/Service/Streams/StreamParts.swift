internal import Delivery

/// The parts of a stream, in the order in which they were asked for, found by the names of their requests.
struct StreamParts {
    typealias Part = Subscription.Part

    private(set) var all: [Part] = []
    private var indices: [String: Int] = [:]
    /// How many parts each resource has.
    private var counts: [ResourceIndex: Int] = [:]

    /// The part of a request; nil: there is none.
    subscript(name: String) -> Part? { indices[name].map { all[$0] } }

    func contains(_ resource: ResourceIndex) -> Bool { counts[resource] != nil }

    /// Gives back the reservation of a batch, because the part is about to be replaced or removed.
    mutating func giveBack(_ name: String) { if let index = indices[name] { all[index].reservation = nil } }

    /// Replaces the part of a request, for the same resource, or adds it.
    mutating func put(_ part: Part) {
        if let index = indices[part.name] {
            assert(all[index].resource == part.resource, "the part for another resource was not removed")
            all[index] = part
        } else {
            indices[part.name] = all.count
            counts[part.resource, default: 0] += 1
            all.append(part)
        }
        assertTables()
    }

    /// Removes the parts of requests.
    mutating func remove(_ names: [String]) {
        guard !names.isEmpty else { return }
        let removed = Set(names)
        assert(removed.allSatisfy { indices[$0] != nil }, "a part that is not there cannot go")
        all.removeAll { removed.contains($0.name) }
        indices = [:]
        counts = [:]
        for (index, part) in all.enumerated() {
            indices[part.name] = index
            counts[part.resource, default: 0] += 1
        }
        assertTables()
    }

    private func assertTables() {
        assert(indices.count == all.count && counts.values.reduce(0, +) == all.count)
    }
}
