/// The open connections of a session, each of which carries one call.
struct Connections {
    private struct Entry {
        let purpose: Purpose
        /// By when a healthy broker answers; nil: it may take its time.
        let answerBy: BootTime?
    }

    private var entries: [ConnectionID: Entry] = [:]

    var count: Int { entries.count }

    /// What a connection is for; nil: it is not open.
    subscript(id: ConnectionID) -> Purpose? { entries[id]?.purpose }

    /// The oldest connection whose purpose is so.
    func first(where isWanted: (Purpose) -> Bool) -> ConnectionID? {
        entries.filter { isWanted($0.value.purpose) }.keys.min()
    }

    /// The connections that read a resource.
    var reads: [(id: ConnectionID, resource: ResourceName)] {
        entries.compactMap { id, entry in
            if case .read(let resource) = entry.purpose { (id, resource) } else { nil }
        }
    }

    /// A connection was opened.
    mutating func add(_ id: ConnectionID, for purpose: Purpose, answerBy: BootTime?) {
        assert(entries[id] == nil, "a connection has a name of its own")
        assert(purpose != .stream || first { $0 == .stream } == nil, "a program has one stream")
        assert(purpose != .watch || first { $0 == .watch } == nil, "the list is watched once")
        entries[id] = Entry(purpose: purpose, answerBy: answerBy)
    }

    /// A connection is gone; returns what it was for, or nil if it was gone already.
    mutating func remove(_ id: ConnectionID) -> Purpose? { entries.removeValue(forKey: id)?.purpose }

    /// Those that should have been answered by now.
    func overdue(_ now: BootTime) -> [ConnectionID] {
        entries.filter { entry in entry.value.answerBy.map { now >= $0 } ?? false }.keys.sorted()
    }

    /// When the first of them is overdue.
    var deadline: BootTime? { entries.values.reduce(nil) { BootTime.earlier($0, $1.answerBy) } }
}

/// The purpose of a connection: each carries one call.
enum Purpose: Equatable {
    /// The stream.
    case stream
    /// A change of the stream.
    case change(Change)
    /// One reading of a resource.
    case read(ResourceName)
    /// The list of resources, for a waiter.
    case list(ListerID)
    /// The list of resources, again after each change.
    case watch
}
