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
    private(set) var parts: [Part]
    /// Grants to announce, by resource.
    private(set) var owedGrants: Set<Int> = []
    /// True if a `Modify` must be announced: its revision, and all grants.
    private(set) var owesRevision = false
    /// States to announce, by resource.
    private(set) var owedStates: Set<Int> = []
    /// The number of the last announcement that it has received or is owed.
    private var announced = 0
    /// The number of the last change of limits that its grants take into account.
    private var regranted = 0
    /// Gaps of resources that are no longer part of it, by resource.
    private var owedGaps: [Int: [Gap]] = [:]
    /// Readings delivered of resources that are no longer part of it.
    private(set) var formerlyDelivered = 0
    /// Readings lost of those resources.
    private(set) var formerlyLost = 0

    /// A resource, by its place in the broker, with its request and its grant.
    struct Part {
        let resource: Int
        let request: Request
        let grant: Grant
        /// The most readings that its user's share allowed for the batch.
        let batchOf: Int
        /// The reservation for the bytes of the batch beyond the free ones.
        var reservation: BatchReservation?

        init(resource: Int, request: Request, grant: Grant, batchOf: Int = Grant.readingsPerReply) {
            self.resource = resource
            self.request = request
            self.grant = grant
            self.batchOf = batchOf
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
        self.parts = parts
    }

    /// A stream that another process began; all its resources are here.
    init(
        _ handed: HandedStream, connection: Connection, charge: consuming Charge, index: (ResourceName) -> Int?,
        reserve: (inout Part) -> Void
    ) {
        id = handed.id
        self.connection = connection
        self.charge = charge
        revision = handed.revision
        owesRevision = handed.owesRevision
        formerlyDelivered = handed.formerlyDelivered
        formerlyLost = handed.formerlyLost
        parts = []
        for part in handed.parts {
            guard let resource = index(part.request.resource) else { continue }
            var own = Part(resource: resource, request: part.request, grant: part.grant)
            reserve(&own)
            parts.append(own)
            if part.owesGrant { owedGrants.insert(resource) }
        }
        for gaps in handed.formerGaps { if let resource = index(gaps.resource) { owedGaps[resource] = gaps.gaps } }
    }

    /// Gaps still to be sent of resources that are no longer part of it.
    var untoldGaps: [(resource: Int, gaps: [Gap])] { owedGaps.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }

    func contains(_ resource: Int) -> Bool { parts.contains { $0.resource == resource } }

    /// Whether some part of it follows its device's own pace.
    var hasTap: Bool { parts.contains { $0.grant.isTap } }

    func part(of resource: Int) -> Part? { parts.first { $0.resource == resource } }

    /// Gives back the reservation of a batch, because the part is about to be replaced or removed.
    func giveBack(_ resource: Int) {
        if let index = parts.firstIndex(where: { $0.resource == resource }) { parts[index].reservation = nil }
    }

    /// Replaces the grant of a resource, or adds it.
    func put(_ part: Part) {
        if let index = parts.firstIndex(where: { $0.resource == part.resource }) {
            parts[index] = part
        } else {
            parts.append(part)
        }
    }

    /// Removes a resource; its delivered and lost readings stay in the account, and its unsent gaps stay owed.
    func remove(_ resource: Int, _ account: Member?) {
        owe(account, of: resource)
        formerlyDelivered += account?.delivered ?? 0
        formerlyLost += account?.losses.total ?? 0
        parts.removeAll { $0.resource == resource }
        owedGrants.remove(resource)
        owedStates.remove(resource)
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

    /// It has another grant of a resource.
    func oweGrant(of resource: Int) { owedGrants.insert(resource) }

    /// Whether there is news that it has not received and is not owed.
    func lacks(_ announcements: StreamNews) -> Bool { announced < announcements.newest }

    /// Adds the news of its resources to its debts; returns whether there was any.
    func owe(_ announcements: StreamNews) -> Bool {
        let news = announcements.since(announced).filter { contains($0.resource) }
        announced = announcements.newest
        for one in news {
            owedStates.insert(one.resource)
            if one.withGrants { owedGrants.insert(one.resource) }
        }
        return !news.isEmpty
    }

    /// Its revision, grants and states were sent.
    func didTellDebts() {
        owesRevision = false
        owedGrants = []
        owedStates = []
    }

    /// The resources whose limits have changed since its grants were made; afterwards they count as taken into account.
    func takeRegrants(_ regrants: StreamNews) -> [Int] {
        guard regranted < regrants.newest else { return [] }
        defer { regranted = regrants.newest }
        return regrants.since(regranted).map(\.resource)
    }

    /// The gaps of resources that are no longer part of it, by resource; they are no longer owed.
    func takeOwedGaps() -> [(resource: Int, gaps: [Gap])] {
        defer { owedGaps = [:] }
        return untoldGaps
    }

    /// Merged by cause: a resource may be removed and added many times while the client sleeps.
    private func owe(_ account: Member?, of resource: Int) {
        guard var account, !account.untold.isEmpty else { return }
        var tally = GapTally()
        for gap in (owedGaps[resource] ?? []) + account.catchUp(with: nil).gaps { tally.add(gap) }
        owedGaps[resource] = tally.gaps
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
