internal import Delivery
internal import Readings

/// The streams in which requests are aligned to others: their readings go through `AlignedRequests` to the socket.
///
/// For a lane, such a client is like any other: what the lane sends to it is taken here, and counts as delivered. While the
/// client's socket is full, no reading of the lead is taken, so that the lane reports the loss as usual.
///
/// Thousands may wait at once, although each client asks for little. So a turn of the loop looks at the first deadline only, an event
/// of a resource at those that follow it, and a device's new pace is noted once for all.
final class Alignments {
    private let catalog: Catalog
    private let quotas: Quotas
    private var all: [ConnectionToken: [AlignedRequests]] = [:]
    /// By their slots.
    private var slots: [AlignedRequests?] = []
    private var freeSlots: [Int] = []
    /// The slots of those to which something happened in this turn.
    private var changed: [Int] = [] {
        didSet { hasChanges = !changed.isEmpty }
    }
    private(set) var hasChanges = false
    /// When the oldest reading that waits in each is sent without its companions.
    private var deadlines = Deadlines() {
        didSet { deadline = deadlines.first?.instant }
    }
    /// When a reading is sent without a companion that has fallen silent; nil: none waits.
    private(set) var deadline: BootTime?
    /// The slots of those that have companions of a resource.
    private var followers: [ResourceIndex: Set<Int>] = [:]
    /// After which time a companion's source counts as silent, by its resource.
    private var silences: [ResourceIndex: Int64] = [:]

    init(_ catalog: Catalog, _ quotas: Quotas) {
        self.catalog = catalog
        self.quotas = quotas
    }

    // MARK: which there are

    /// A stream begins, or its parts or their grants have changed, which is announced next; what waits of changed ones is sent
    /// before that, and unchanged ones continue.
    func follow(_ subscription: Subscription, _ now: BootTime) {
        let token = subscription.connection.token
        let former = all[token] ?? []
        let groups = Self.groups(of: subscription)
        guard !former.isEmpty || !groups.isEmpty else { return }
        for one in former where !groups.contains(where: one.isOf) {
            one.sendRest(now)
            remove(one)
        }
        all[token] = groups.map { group in
            guard let one = former.first(where: { $0.isOf(group) }) else {
                return add(group, on: subscription.connection)
            }
            one.follow(group, now)
            note(one)
            return one
        }
    }

    private static func groups(of subscription: Subscription) -> [AlignedRequests.Group] {
        let companions = subscription.companions
        guard !companions.isEmpty else { return [] }
        return subscription.parts.filter(\.request.leads).map {
            AlignedRequests.Group(lead: $0, companions: companions[$0.name] ?? [])
        }
    }

    private func add(_ group: AlignedRequests.Group, on connection: Connection) -> AlignedRequests {
        let slot = freeSlots.popLast() ?? slots.count
        let one = AlignedRequests(group, on: connection, slot: slot, catalog, quotas)
        if slot == slots.count { slots.append(one) } else { slots[slot] = one }
        for companion in one.companions {
            followers[companion.resource, default: []].insert(slot)
            if silences[companion.resource] == nil { learnPace(of: catalog[companion.resource]) }
        }
        return one
    }

    private func remove(_ one: AlignedRequests) {
        assert(slots[one.slot] === one, "the slot is another alignment's")
        slots[one.slot] = nil
        freeSlots.append(one.slot)
        deadlines.set(nil, of: one.slot)
        for companion in one.companions { followers[companion.resource]?.remove(one.slot) }
    }

    func drop(_ connection: ConnectionToken) { all.removeValue(forKey: connection)?.forEach(remove) }

    // MARK: what happens to resources

    /// A resource runs otherwise now, so its next readings are expected earlier or later.
    func didChangePace(of resource: OwnedResource) { if silences[resource.index] != nil { learnPace(of: resource) } }

    private func learnPace(of resource: OwnedResource) {
        silences[resource.index] = resource.core.pace.silenceNanoseconds
    }

    /// A resource was opened again, or is missing: no reading of it is expected, and the next one does not continue the last.
    func interrupt(_ resource: OwnedResource) {
        for slot in followers[resource.index] ?? [] {
            guard let one = slots[slot] else { continue }
            one.interrupt(resource.index)
            didChange(one)
        }
    }

    // MARK: what lanes have for a client

    /// Takes a lane's readings and gaps for a client's request, or what that missed while the socket was full; returns whether they
    /// count as delivered; nil: the request is not aligned.
    func take(
        _ readings: SampleList, _ gaps: [Gap], of resource: OwnedResource, _ request: UInt32,
        for connection: ConnectionToken, isMissed: Bool = false, _ now: BootTime
    ) -> Bool? {
        let request = AlignedRequest(resource: resource.index, number: request)
        guard let one = all[connection]?.first(where: { $0.contains(request) }) else { return nil }
        didChange(one)
        let silence = silences[resource.index] ?? 0
        return one.take(readings, gaps, of: request, isMissed: isMissed, silence: silence, now)
    }

    // MARK: what is sent

    /// All that came in this turn has been taken: sends what need not wait any longer.
    func conclude(_ now: BootTime) {
        guard hasChanges else { return }
        for slot in changed {
            guard let one = slots[slot], one.hasChanged else { continue }
            one.hasChanged = false
            one.send(now)
            note(one)
        }
        changed.removeAll(keepingCapacity: true)
    }

    private func didChange(_ one: AlignedRequests) {
        guard !one.hasChanged else { return }
        one.hasChanged = true
        changed.append(one.slot)
    }

    /// The client's socket has room again.
    func didDrain(_ connection: ConnectionToken) { all[connection]?.forEach(didChange) }

    /// Something else follows in a stream: what came before it and has all its companions is sent first.
    func sendComplete(to connection: ConnectionToken, _ now: BootTime) {
        for one in all[connection] ?? [] where one.hasChanged { one.sendComplete(now) }
    }

    /// Sends all waiting readings with the values that are known, because nothing more will come.
    func sendRest(to connection: ConnectionToken, _ now: BootTime) {
        for one in all[connection] ?? [] {
            one.sendRest(now)
            note(one)
        }
    }

    /// The same for all clients.
    func sendRest(_ now: BootTime) { for connection in all.keys { sendRest(to: connection, now) } }

    func expire(_ now: BootTime) {
        while let (slot, instant) = deadlines.first, instant <= now {
            // A full socket takes nothing now, and what waits for it is sent when it drains.
            deadlines.set(nil, of: slot)
            guard let one = slots[slot] else { continue }
            one.send(now)
            assert(one.deadline.map { $0 > now } ?? true, "what is overdue was not sent")
            note(one)
        }
    }

    /// Something came to it or left it, or its socket has filled or drained.
    private func note(_ one: AlignedRequests) { deadlines.set(one.deadline, of: one.slot) }
}
