internal import Admission
internal import Delivery
internal import Readings

/// One client's stream: which resources it carries, and what is pending for it.
final class Subscription {
    let id: StreamID
    let connection: Connection
    private let charge: Charge
    /// Increased by each `Modify`.
    private(set) var revision = 1
    private var table = StreamParts()
    /// What has still to be sent besides readings.
    var pending = PendingUpdates()
    private var lastNumber: UInt32 = 0
    /// Where to go on with what was missed, among the parts.
    var catchUpFrom = 0
    /// Readings delivered of requests that are no longer part of it.
    private(set) var formerlyDelivered = 0
    /// Readings lost of those requests.
    private(set) var formerlyLost = 0

    /// A resource with a request and its grant.
    struct Part {
        let resource: ResourceIndex
        let request: Request
        let grant: Grant
        /// The request's number among those with labels; 0: it has no label.
        private(set) var number: UInt32 = 0
        /// The most readings that its user's share allowed for the batch.
        let batchOf: Int
        /// The reservation for the bytes of the batch beyond the free ones.
        var reservation: Reservation?
        /// The reservation for a request with a label.
        var labelled: Reservation?

        init(resource: ResourceIndex, request: Request, grant: Grant, batchOf: Int = Grant.readingsPerReply) {
            self.resource = resource
            self.request = request
            self.grant = grant
            self.batchOf = batchOf
        }

        var name: String { request.name }

        /// What the stream's messages call the request.
        var streamedName: StreamedName { StreamedName(resource: request.resource, label: request.label) }

        /// What delivery calls the request.
        func client(of connection: Connection) -> Client { .connection(connection.token, request: number) }

        func labelled(_ reservation: Reservation?) -> Part {
            assert(reservation == nil || request.label != nil, "only labels are reserved for")
            var part = self
            part.labelled = reservation
            return part
        }

        func numbered(_ number: UInt32) -> Part {
            var part = self
            part.number = number
            return part
        }

        /// The same grant for another request.
        func asked(_ request: Request) -> Part {
            var part = Part(resource: resource, request: request, grant: grant, batchOf: batchOf)
            part.reservation = reservation
            return part
        }
    }

    /// A stream that has no parts yet: it gets them by its first change.
    init(id: StreamID, connection: Connection, charge: consuming Charge) {
        self.id = id
        self.connection = connection
        self.charge = charge
    }

    /// Continues a stream that another process began, with what is known of it besides its parts.
    func resume(_ handed: HandedStream) {
        revision = handed.revision
        if handed.isRevisionPending { pending.addRevision() }
        pending.addGrants(handed.parts.filter(\.isGrantPending).map(\.request.name))
        for gaps in handed.formerGaps { pending.resume(gaps.gaps, of: gaps.name) }
        formerlyDelivered = handed.formerlyDelivered
        formerlyLost = handed.formerlyLost
    }

    // MARK: its parts

    /// The grants, in the order in which they were asked for.
    var parts: [Part] { table.all }

    func contains(_ resource: ResourceIndex) -> Bool { table.contains(resource) }

    /// The parts that are aligned to others, by the names of those.
    var companions: [String: [Part]] {
        Dictionary(grouping: parts.filter { $0.request.alignTo != nil }) { $0.request.alignTo ?? "" }
    }

    /// Whether some part of it follows its device's own pace.
    var hasTap: Bool { parts.contains { $0.grant.isTap } }

    func part(named name: String) -> Part? { table[name] }

    /// Gives back the reservation of a batch, because the part is about to be replaced or removed.
    func giveBack(_ name: String) { table.giveBack(name) }

    /// Has the parts that a change wants; takes the accounts of those that left their lanes, and returns those that go on, without
    /// gaps: what requests have lost under their former grants is reported before the new ones.
    func adopt(_ change: StreamChange, _ left: [String: Member]) -> [String: Member] {
        var accounts = left
        remove((change.ended + change.moved).map { ($0, accounts.removeValue(forKey: $0.name)) })
        for part in change.former { accounts[part.name] = accounts[part.name].map { keepGaps(of: part, $0) } }
        for part in change.parts { put(part) }
        return accounts
    }

    private func put(_ part: Part) {
        if let former = table[part.name] {
            if former.request.label == part.request.label { return table.put(part.numbered(former.number)) }
            // The label of the one is the resource of the other.
            if former.number > 0 { connection.setLabel(nil, of: former.number) }
        }
        table.put(part.request.label.map { part.numbered(number($0)) } ?? part)
    }

    private func number(_ label: String) -> UInt32 {
        repeat { lastNumber &+= 1 } while lastNumber == 0 || connection.label(of: lastNumber) != nil
        connection.setLabel(label, of: lastNumber)
        return lastNumber
    }

    /// Removes parts; their delivered and lost readings stay in the account, and their unsent gaps stay pending.
    private func remove(_ removed: [(part: Part, account: Member?)]) {
        for (part, account) in removed {
            if let account { _ = keepGaps(of: part, account) }
            formerlyDelivered += account?.delivered ?? 0
            formerlyLost += account?.losses.total ?? 0
            if part.number > 0 { connection.setLabel(nil, of: part.number) }
        }
        let names = removed.map(\.part.name)
        table.remove(names)
        pending.forget(names, besides: table)
    }

    private func keepGaps(of part: Part, _ account: Member) -> Member {
        guard !account.pendingGaps.isEmpty else { return account }
        var account = account
        pending.add(account.catchUp(with: nil).gaps, of: part.streamedName)
        return account
    }

    // MARK: what is pending

    /// The client has changed the subscription.
    func didModify() {
        revision += 1
        pending.addRevision()
    }

    /// Adds the changes of its resources to what is pending; returns whether there were any.
    func add(_ announcements: ResourceChanges) -> Bool { pending.add(announcements, of: table) }

    /// How many requests that are no longer part of it have pending gaps.
    var pendingGapCount: Int { pending.gapCount(besides: table) }
}

/// What a stream's messages call one of its requests: its resource, and its label if it has one.
struct StreamedName: Hashable {
    let resource: ResourceName
    let label: String?

    /// What the request is called within its stream, as `Request.name`.
    var name: String { label ?? resource.description }
}
