internal import Admission
internal import Delivery
internal import Readings

/// One client's stream: which resources it carries, and what it is still owed.
///
/// Readings may be missed and become gaps. Grants and states may not: while the socket is full they are owed, each as the
/// newest of its kind, so that the debt of a client that sleeps for an hour does not grow.
final class Subscription {
    /// The unguessable name that `Modify` takes.
    let id: String
    let connection: Connection
    private let charge: Charge
    /// Counted up by each `Modify`.
    private(set) var revision = 1
    /// What is granted, in the order in which it was asked for.
    private(set) var parts: [Part]
    /// Grants to announce, by resource.
    private(set) var owedGrants: Set<Int> = []
    /// True where a `Modify` is to be announced: its revision, and all grants.
    private(set) var owesRevision = false
    /// States to tell, by resource.
    private(set) var owedStates: Set<Int> = []
    /// Up to which number it has been told, or is owed, what is new of resources.
    private var announced = 0
    /// Up to which number its grants are made by the limits of resources.
    private var regranted = 0
    /// What was missed of resources that are no longer part of it, by resource.
    private var owedGaps: [Int: [Gap]] = [:]
    /// Readings delivered of resources that are no longer part of it.
    private(set) var formerlyDelivered = 0
    /// Readings lost of them.
    private(set) var formerlyLost = 0

    /// A resource, by its place in the broker, what was asked of it and what is granted.
    struct Part {
        let resource: Int
        let request: Request
        let grant: Grant
        /// The most readings that its user's share allowed the batch to be of.
        let batchOf: Int
        /// For the bytes of the batch, beyond those that are free.
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

    /// A stream that another process began, of resources that are all here.
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

    /// What is to be told of resources that are no longer part of it.
    var untoldGaps: [(resource: Int, gaps: [Gap])] { owedGaps.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }

    func contains(_ resource: Int) -> Bool { parts.contains { $0.resource == resource } }

    /// Whether some part of it follows its device's own pace.
    var hasTap: Bool { parts.contains { $0.grant.isTap } }

    func part(of resource: Int) -> Part? { parts.first { $0.resource == resource } }

    /// Gives back what a batch has reserved, because the part is about to be replaced or removed.
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

    /// Takes a resource out; what was delivered and lost of it stays in the account, and what is untold stays owed.
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

    /// It has just begun, and knows all that is new so far.
    func begin(announced: Int, regranted: Int) { (self.announced, self.regranted) = (announced, regranted) }

    /// Its client has changed it.
    func didModify() {
        revision += 1
        owesRevision = true
    }

    /// It has another grant of a resource.
    func oweGrant(of resource: Int) { owedGrants.insert(resource) }

    /// Whether there is news that it is neither told nor owed.
    func lacks(_ announcements: StreamNews) -> Bool { announced < announcements.newest }

    /// Owes it what is new of its resources; returns whether there was any such news.
    func owe(_ announcements: StreamNews) -> Bool {
        let news = announcements.since(announced).filter { contains($0.resource) }
        announced = announcements.newest
        for one in news {
            owedStates.insert(one.resource)
            if one.withGrants { owedGrants.insert(one.resource) }
        }
        return !news.isEmpty
    }

    /// It was told its revision, grants and states.
    func didTellDebts() {
        owesRevision = false
        owedGrants = []
        owedStates = []
    }

    /// The resources whose limits have changed since its grants were made; they count as regarded now.
    func takeRegrants(_ regrants: StreamNews) -> [Int] {
        guard regranted < regrants.newest else { return [] }
        defer { regranted = regrants.newest }
        return regrants.since(regranted).map(\.resource)
    }

    /// What to tell of resources that are no longer part of it, by resource; it is owed no more.
    func takeOwedGaps() -> [(resource: Int, gaps: [Gap])] {
        defer { owedGaps = [:] }
        return untoldGaps
    }

    /// Merged by cause: a resource may be removed, and added, many times while the client sleeps.
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
