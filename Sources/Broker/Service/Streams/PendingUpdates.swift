internal import Delivery
internal import Readings

/// What a stream has still to be sent besides its readings: its revision, grants, states, and gaps from before a change.
///
/// Readings may be missed and become gaps. Grants and states may not: while the socket is full, the newest of each is
/// owed, so that the debt of a client that sleeps for an hour does not grow.
struct OwedUpdates {
    /// True if a `Modify` must be announced: its revision, and the grants of all requests without labels.
    private(set) var revision = false
    /// Grants to announce, by the name of the request.
    private(set) var grants: Set<String> = []
    /// States to announce, by resource.
    private(set) var states: Set<ResourceIndex> = []
    /// Gaps of requests that the stream no longer has, or that have other grants now.
    private var gapsByName: [StreamedName: [Gap]] = [:]
    /// The number of the last announcement that the stream has received or is owed.
    private var announced = 0
    /// The number of the last change of limits that the stream's grants take into account.
    private var regranted = 0

    var isMoreThanGaps: Bool { revision || !grants.isEmpty || !states.isEmpty }

    /// The stream has just begun, and knows all news so far.
    mutating func begin(announced: Int, regranted: Int) {
        self.announced = announced
        self.regranted = regranted
    }

    mutating func oweRevision() { revision = true }

    mutating func oweGrants(_ names: some Sequence<String>) { grants.formUnion(names) }

    /// Whether there is news that the stream has not received and is not owed.
    func lacks(_ announcements: StreamNews) -> Bool { announced < announcements.newest }

    /// Owes the news of the resources of some parts; returns whether there was any.
    mutating func owe(_ announcements: StreamNews, of parts: StreamParts) -> Bool {
        assert(announced <= announcements.newest)
        let news = announcements.since(announced).filter { parts.contains($0.resource) }
        announced = announcements.newest
        for one in news {
            states.insert(one.resource)
            if one.withGrants { oweGrants(parts.all.filter { $0.resource == one.resource }.map(\.name)) }
        }
        return !news.isEmpty
    }

    /// Revision, states and some grants were sent; others are still owed.
    mutating func didTell(grantsOf told: [StreamParts.Part]) {
        revision = false
        if told.isEmpty { grants = [] } else { grants.subtract(told.map(\.name)) }
        states = []
    }

    /// Requests have ended; nothing is owed of their resources that no other part has.
    mutating func forget(_ names: [String], besides parts: StreamParts) {
        grants.subtract(names)
        states = states.filter { parts.contains($0) }
    }

    /// The resources whose limits have changed since the grants were made; afterwards they count as taken into account.
    mutating func takeRegrants(_ regrants: StreamNews) -> [ResourceIndex] {
        guard regranted < regrants.newest else { return [] }
        defer { regranted = regrants.newest }
        return regrants.since(regranted).map(\.resource)
    }

    // MARK: gaps

    /// The gaps that are owed, in the order of their names.
    var gaps: [(name: StreamedName, gaps: [Gap])] {
        gapsByName.sorted { Self.order($0.key) < Self.order($1.key) }.map { ($0.key, $0.value) }
    }

    private static func order(_ name: StreamedName) -> (String, String) {
        (name.resource.description, name.label ?? "")
    }

    /// How many requests have gaps that are not among these parts.
    func gapCount(besides parts: StreamParts) -> Int {
        gapsByName.keys.count { parts[$0.name]?.request.resource != $0.resource }
    }

    /// These gaps; they are no longer owed.
    mutating func takeGaps() -> [(name: StreamedName, gaps: [Gap])] {
        guard !gapsByName.isEmpty else { return [] }
        defer { gapsByName = [:] }
        return gaps
    }

    /// Owes gaps, merged by cause: a request may be changed, or removed and added, many times while the client sleeps.
    mutating func owe(_ gaps: [Gap], of name: StreamedName) {
        var tally = GapTally()
        for gap in (gapsByName[name] ?? []) + gaps { tally.add(gap) }
        gapsByName[name] = tally.gaps
    }

    /// Continues with gaps that another process has not sent.
    mutating func resume(_ gaps: [Gap], of name: StreamedName) { gapsByName[name] = gaps }
}
