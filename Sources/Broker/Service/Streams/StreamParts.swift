internal import Delivery

/// The parts of a stream, in the order in which they were asked for, found by the names of their requests.
///
/// Nearly all streams have one part or a few, which need no table to be found: it would be a seventh of what a client takes.
struct StreamParts {
    typealias Part = Subscription.Part

    private(set) var all: [Part] = []
    /// Where the part of each request is, if there are more than a few.
    private var indices: [String: Int] = [:]

    private static let few = 8

    subscript(name: String) -> Part? { index(of: name).map { all[$0] } }

    private func index(of name: String) -> Int? {
        all.count <= Self.few ? all.firstIndex { $0.name == name } : indices[name]
    }

    func contains(_ resource: ResourceIndex) -> Bool { all.contains { $0.resource == resource } }

    /// Gives back the reservation of a batch, because the part is about to be replaced or removed.
    mutating func giveBack(_ name: String) { if let index = index(of: name) { all[index].reservation = nil } }

    /// Replaces the part of a request, for the same resource, or adds it.
    mutating func put(_ part: Part) {
        if let index = index(of: part.name) {
            assert(all[index].resource == part.resource, "the part for another resource was not removed")
            all[index] = part
        } else {
            all.append(part)
            if indices.isEmpty { makeTable() } else { indices[part.name] = all.count - 1 }
        }
        assertTable()
    }

    mutating func remove(_ names: [String]) {
        guard !names.isEmpty else { return }
        let removed = Set(names)
        assert(removed.allSatisfy { index(of: $0) != nil }, "a part that is not there cannot go")
        all.removeAll { removed.contains($0.name) }
        makeTable()
        assertTable()
    }

    private mutating func makeTable() {
        indices = [:]
        guard all.count > Self.few else { return }
        for (index, part) in all.enumerated() { indices[part.name] = index }
    }

    private func assertTable() {
        assert(indices.count == (all.count > Self.few ? all.count : 0), "a part cannot be found")
    }
}
