internal import Admission
internal import Delivery
internal import Readings

/// One client's stream: which resources it carries, and what it is still owed.
///
/// Readings may be missed and become gaps. Grants and states may not: while the socket is full, the newest of each is
/// owed, so that the debt of a client that sleeps for an hour does not grow.
final class Subscription {
    /// The unguessable name that `Modify` takes.
    let id: String
    let connection: Connection
    private let charge: Charge
    /// Increased by each `Modify`.
    private(set) var revision = 1
    /// The grants, in the order in which they were asked for.
    private(set) var parts: [Part] = []
    /// The indices of the parts, by name.
    private var indices: [String: Int] = [:]
    /// How many parts each resource has.
    private var counts: [ResourceIndex: Int] = [:]
    /// The number of the last request with a label.
    private var lastNumber: UInt32 = 0
    /// Where to go on with what was missed, among the parts.
    var catchUpFrom = 0
    /// Grants to announce, by the name of the request.
    private(set) var owedGrants: Set<String> = []
    /// True if a `Modify` must be announced: its revision, and the grants of all requests without labels.
    private(set) var owesRevision = false
    /// States to announce, by resource.
    private(set) var owedStates: Set<ResourceIndex> = []
    /// The number of the last announcement that it has received or is owed.
    private var announced = 0
    /// The number of the last change of limits that its grants take into account.
    private var regranted = 0
    /// Gaps of requests that are no longer part of it, or that have other grants now.
    private var owedGaps: [StreamedName: [Gap]] = [:]
    /// Readings delivered of requests that are no longer part of it.
    private(set) var formerlyDelivered = 0
    /// Readings lost of those requests.
    private(set) var formerlyLost = 0

    /// A resource with a request and its grant.
    struct Part {
        let resource: ResourceIndex
        let request: Request
        let grant: Grant
        /// The most readings that its user's share allowed for the batch.
        let batchOf: Int
        /// The reservation for the bytes of the batch beyond the free ones.
        var reservation: Reservation?
        /// The reservation for a request with a label.
        var labelled: Reservation?
        /// Its number among the requests with labels; 0: it has none.
        fileprivate(set) var number: UInt32 = 0

        init(resource: ResourceIndex, request: Request, grant: Grant, batchOf: Int = Grant.readingsPerReply) {
            self.resource = resource
            self.request = request
            self.grant = grant
            self.batchOf = batchOf
        }

        /// What the client calls it.
        var name: String { request.name }

        /// As what delivery knows it.
        func client(of connection: Connection) -> Client { .connection(connection.token, request: number) }

        /// The same part, with the reservation for its label.
        func labelled(_ reservation: Reservation?) -> Part {
            assert(reservation == nil || request.label != nil, "only labels are reserved for")
            var part = self
            part.labelled = reservation
            return part
        }

        /// The same grant for another request.
        func asked(_ request: Request) -> Part {
            var part = Part(resource: resource, request: request, grant: grant, batchOf: batchOf)
            part.reservation = reservation
            return part
        }
    }

    init(id: String, connection: Connection, charge: consuming Charge, parts: [Part]) {
        self.id = id
        self.connection = connection
        self.charge = charge
        for part in parts { put(part) }
    }

    /// A stream that another process began; all its resources are here.
    init(
        _ handed: HandedStream, connection: Connection, charge: consuming Charge,
        index: (ResourceName) -> ResourceIndex?,
        reserve: (inout Part) -> Void
    ) {
        id = handed.id
        self.connection = connection
        self.charge = charge
        revision = handed.revision
        owesRevision = handed.owesRevision
        formerlyDelivered = handed.formerlyDelivered
        formerlyLost = handed.formerlyLost
        for part in handed.parts {
            guard let resource = index(part.request.resource) else { continue }
            var own = Part(resource: resource, request: part.request, grant: part.grant)
            reserve(&own)
            put(own)
            if part.owesGrant { owedGrants.insert(own.name) }
        }
        for gaps in handed.formerGaps { owedGaps[gaps.name] = gaps.gaps }
    }

    // MARK: its parts

    func contains(_ resource: ResourceIndex) -> Bool { counts[resource] != nil }

    /// Whether some part of it follows its device's own pace.
    var hasTap: Bool { parts.contains { $0.grant.isTap } }

    /// The part of a request.
    func part(named name: String) -> Part? { indices[name].map { parts[$0] } }

    /// Gives back the reservation of a batch, because the part is about to be replaced or removed.
    func giveBack(_ name: String) { if let index = indices[name] { parts[index].reservation = nil } }

    /// Has the parts that a change wants; takes the accounts of those that left their lanes, and returns those that go on, without
    /// gaps: what requests have lost under their former grants is told before the new ones.
    func adopt(_ change: StreamChange, _ left: [String: Member]) -> [String: Member] {
        var accounts = left
        remove((change.ended + change.moved).map { ($0, accounts.removeValue(forKey: $0.name)) })
        for part in change.former { accounts[part.name] = accounts[part.name].map { keepGaps(of: part, $0) } }
        for part in change.parts { put(part) }
        assertParts()
        return accounts
    }

    /// The tables say the same as the parts, and no request but theirs is owed a grant.
    private func assertParts() {
        assert(indices.count == parts.count && parts.indices.allSatisfy { indices[parts[$0].name] == $0 })
        assert(counts.values.reduce(0, +) == parts.count && counts.values.allSatisfy { $0 > 0 })
        assert(owedGrants.allSatisfy { indices[$0] != nil } && owedStates.allSatisfy { counts[$0] != nil })
    }

    /// Replaces the part of a request, for the same resource, or adds it.
    private func put(_ part: Part) {
        var part = part
        if let index = indices[part.name] {
            assert(parts[index].resource == part.resource, "the part for another resource was not removed")
            part.number = parts[index].number
            parts[index] = part
        } else {
            if let label = part.request.label { part.number = number(label) }
            indices[part.name] = parts.count
            counts[part.resource, default: 0] += 1
            parts.append(part)
        }
    }

    private func number(_ label: String) -> UInt32 {
        repeat { lastNumber &+= 1 } while lastNumber == 0 || connection.label(of: lastNumber) != nil
        connection.setLabel(label, of: lastNumber)
        return lastNumber
    }

    /// Removes parts; their delivered and lost readings stay in the account, and their unsent gaps stay owed.
    private func remove(_ removed: [(part: Part, account: Member?)]) {
        guard !removed.isEmpty else { return }
        for (part, account) in removed {
            if let account { _ = keepGaps(of: part, account) }
            formerlyDelivered += account?.delivered ?? 0
            formerlyLost += account?.losses.total ?? 0
            indices[part.name] = nil
            owedGrants.remove(part.name)
            if part.number > 0 { connection.setLabel(nil, of: part.number) }
        }
        parts.removeAll { indices[$0.name] == nil }
        counts = [:]
        for (index, part) in parts.enumerated() {
            indices[part.name] = index
            counts[part.resource, default: 0] += 1
        }
        owedStates.formIntersection(counts.keys)
    }

    // MARK: what it is owed

    /// Whether it is owed more than gaps.
    var hasDebts: Bool { owesRevision || !owedGrants.isEmpty || !owedStates.isEmpty }

    /// It has just begun, and knows all news so far.
    func begin(announced: Int, regranted: Int) { (self.announced, self.regranted) = (announced, regranted) }

    /// Its client has changed it.
    func didModify() {
        revision += 1
        owesRevision = true
    }

    /// It has other grants for requests of these names.
    func oweGrants(_ names: some Sequence<String>) { owedGrants.formUnion(names) }

    /// Whether there is news that it has not received and is not owed.
    func lacks(_ announcements: StreamNews) -> Bool { announced < announcements.newest }

    /// Adds the news of its resources to its debts; returns whether there was any.
    func owe(_ announcements: StreamNews) -> Bool {
        let news = announcements.since(announced).filter { contains($0.resource) }
        announced = announcements.newest
        for one in news {
            owedStates.insert(one.resource)
            if one.withGrants { oweGrants(parts.filter { $0.resource == one.resource }.map(\.name)) }
        }
        return !news.isEmpty
    }

    /// Its revision, states and some grants were sent; others are still owed.
    func didTellDebts(withGrantsOf told: [Part]) {
        owesRevision = false
        if told.isEmpty { owedGrants = [] } else { owedGrants.subtract(told.map(\.name)) }
        owedStates = []
    }

    /// The resources whose limits have changed since its grants were made; afterwards they count as taken into account.
    func takeRegrants(_ regrants: StreamNews) -> [ResourceIndex] {
        guard regranted < regrants.newest else { return [] }
        defer { regranted = regrants.newest }
        return regrants.since(regranted).map(\.resource)
    }

    /// Gaps still to be sent of requests that are no longer part of it, or from before their grants.
    var untoldGaps: [(name: StreamedName, gaps: [Gap])] {
        owedGaps.sorted { Self.order($0.key) < Self.order($1.key) }.map { ($0.key, $0.value) }
    }

    private static func order(_ name: StreamedName) -> (String, String) {
        (name.resource.description, name.label ?? "")
    }

    /// How many requests that are no longer part of it have such gaps.
    var untoldCount: Int { owedGaps.keys.count { part(named: $0.name)?.request.resource != $0.resource } }

    /// These gaps; they are no longer owed.
    func takeOwedGaps() -> [(name: StreamedName, gaps: [Gap])] {
        guard !owedGaps.isEmpty else { return [] }
        defer { owedGaps = [:] }
        return untoldGaps
    }

    /// Merged by cause: a request may be changed, or removed and added, many times while the client sleeps.
    private func keepGaps(of part: Part, _ account: Member) -> Member {
        guard !account.untold.isEmpty else { return account }
        var account = account
        let name = StreamedName(resource: part.request.resource, label: part.request.label)
        var tally = GapTally()
        for gap in (owedGaps[name] ?? []) + account.catchUp(with: nil).gaps { tally.add(gap) }
        owedGaps[name] = tally.gaps
        return account
    }

    /// 128 random bits from the kernel.
    static func makeID() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<2).map { _ in
            let digits = String(generator.next(), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}
