internal import Delivery
internal import Readings

/// What a stream has still to be sent besides its readings: its revision, grants, states, and gaps from before a change.
///
/// Readings may be missed and become gaps. Grants and states may not: while the socket is full, the newest of each is
/// pending, so that a client that sleeps for an hour needs no more memory.
struct PendingUpdates {
    /// True if a `Modify` must be announced: its revision, and the grants of all requests without labels.
    private(set) var revision = false
    /// Grants to announce, by the name of the request.
    private(set) var grants: Set<String> = []
    private(set) var states: Set<ResourceIndex> = []
    /// Gaps of requests that the stream no longer has, or that have other grants now.
    private var gapsByName: [StreamedName: [Gap]] = [:]
    /// The number of the last announcement that the stream has received, or that is pending for it.
    private var announced = 0
    /// The number of the last change of limits that the stream's grants take into account.
    private var regranted = 0

    /// Whether there are grants to announce, or a revision, which has grants.
    var hasGrants: Bool { revision || !grants.isEmpty }

    var isMoreThanGaps: Bool { hasGrants || !states.isEmpty }

    /// The stream has just begun, and knows all changes so far.
    mutating func begin(announced: Int, regranted: Int) {
        self.announced = announced
        self.regranted = regranted
    }

    mutating func addRevision() { revision = true }

    mutating func addGrants(_ names: some Sequence<String>) { grants.formUnion(names) }

    /// Whether there are changes that the stream has not received and that are not pending for it.
    func lacks(_ announcements: ResourceChanges) -> Bool { announced < announcements.newest }

    /// Adds the changes of the resources of some parts; returns whether there were any.
    mutating func add(_ announcements: ResourceChanges, of parts: StreamParts) -> Bool {
        assert(announced <= announcements.newest)
        let changes = announcements.since(announced).filter { parts.contains($0.resource) }
        announced = announcements.newest
        for change in changes {
            states.insert(change.resource)
            if change.withGrants { addGrants(parts.all.filter { $0.resource == change.resource }.map(\.name)) }
        }
        return !changes.isEmpty
    }

    /// Revision, states and some grants were sent; other grants are still pending.
    mutating func didSend(grantsOf sent: [StreamParts.Part]) {
        revision = false
        if sent.isEmpty { grants = [] } else { grants.subtract(sent.map(\.name)) }
        states = []
    }

    /// Requests have ended; nothing is pending of their resources that no other part has.
    mutating func forget(_ names: [String], besides parts: StreamParts) {
        grants.subtract(names)
        states = states.filter { parts.contains($0) }
    }

    /// The resources whose limits have changed since the grants were made; afterwards they count as taken into account.
    mutating func takeRegrants(_ regrants: ResourceChanges) -> [ResourceIndex] {
        guard regranted < regrants.newest else { return [] }
        defer { regranted = regrants.newest }
        return regrants.since(regranted).map(\.resource)
    }

    // MARK: gaps

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

    /// These gaps; they are no longer pending.
    mutating func takeGaps() -> [(name: StreamedName, gaps: [Gap])] {
        guard !gapsByName.isEmpty else { return [] }
        defer { gapsByName = [:] }
        return gaps
    }

    /// Adds gaps, merged by cause: a request may be changed, or removed and added, many times while the client sleeps.
    mutating func add(_ gaps: [Gap], of name: StreamedName) {
        var tally = GapTally()
        for gap in (gapsByName[name] ?? []) + gaps { tally.add(gap) }
        gapsByName[name] = tally.gaps
    }

    /// Continues with gaps that another process has not sent.
    mutating func resume(_ gaps: [Gap], of name: StreamedName) { gapsByName[name] = gaps }
}
