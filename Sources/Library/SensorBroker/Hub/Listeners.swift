/// Those who listen: on which channel each is, what it asked for, and why it has none.
///
/// A listener is on a channel, or it lasts and has stopped. It has no entry before it begins, and none after its end.
struct Listeners {
    private struct Entry {
        /// The listener's request as the program knows it, where that of its channel is another.
        var asked: SensorRequest?
        /// Whether it waits if its request fails.
        let isLasting: Bool
        var assignment: Assignment
    }

    private enum Assignment {
        case unassigned
        case channel(ChannelID)
        case stopped(Stopped)
    }

    private var entries: [ListenerID: Entry] = [:]
    private var stopped: Set<ListenerID> = []

    var isEmpty: Bool { entries.isEmpty }

    /// Whether some have stopped.
    var haveStopped: Bool { !stopped.isEmpty }

    /// How many are on a channel.
    var listeningCount: Int {
        entries.values.count { if case .channel = $0.assignment { true } else { false } }
    }

    /// Begins a listener, which has no channel yet.
    mutating func begin(_ id: ListenerID, asked: SensorRequest?, isLasting: Bool) {
        assert(entries[id] == nil, "a listener begins once")
        entries[id] = Entry(asked: asked, isLasting: isLasting, assignment: .unassigned)
    }

    /// Ends a listener; returns the channel that it was on, and what it had asked for.
    mutating func end(_ id: ListenerID) -> (channel: ChannelID, asked: SensorRequest?)? {
        defer {
            entries[id] = nil
            stopped.remove(id)
        }
        return channel(of: id).map { ($0, entries[id]?.asked) }
    }

    func isLasting(_ id: ListenerID) -> Bool { entries[id]?.isLasting ?? false }

    /// Whether it waits for a resource that the broker does not have.
    func isWaiting(_ id: ListenerID) -> Bool {
        entries[id].map { $0.isLasting || $0.asked?.waitsForResource == true } ?? false
    }

    func channel(of id: ListenerID) -> ChannelID? {
        if case .channel(let channel) = entries[id]?.assignment { channel } else { nil }
    }

    func asked(by id: ListenerID) -> SensorRequest? { entries[id]?.asked }

    /// Why it has stopped; nil: it has not.
    func stopped(_ id: ListenerID) -> Stopped? {
        if case .stopped(let stopped) = entries[id]?.assignment { stopped } else { nil }
    }

    /// Why those that have stopped get nothing of a resource.
    func failures(of resource: ResourceName) -> [ListenerID: SensorError] {
        var failures: [ListenerID: SensorError] = [:]
        for id in stopped {
            if let stopped = stopped(id), stopped.request.resource == resource { failures[id] = stopped.error }
        }
        return failures
    }

    mutating func setAsked(_ asked: SensorRequest?, by id: ListenerID) { entries[id]?.asked = asked }

    /// Puts a listener on a channel.
    mutating func put(_ id: ListenerID, on channel: ChannelID) {
        assert(entries[id] != nil, "only one that has begun can listen")
        entries[id]?.assignment = .channel(channel)
        stopped.remove(id)
    }

    /// A listener that lasts has stopped.
    mutating func stop(_ id: ListenerID, _ stopped: Stopped) {
        assert(isLasting(id), "one that does not last ends")
        entries[id]?.assignment = .stopped(stopped)
        self.stopped.insert(id)
    }
}

/// A listener that lasts and has no channel, since its request failed.
struct Stopped {
    /// The request.
    var request: SensorRequest
    /// Why it failed; `cancelled` after a release.
    let error: SensorError
    /// When it failed.
    let since: BootTime
}
