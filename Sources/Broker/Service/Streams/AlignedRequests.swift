internal import Delivery
internal import Readings
internal import Varlink

/// One of a stream's requests, by its resource and its number.
struct AlignedRequest: Equatable {
    let resource: ResourceIndex
    let number: UInt32
}

extension AlignedRequest {
    init(_ part: Subscription.Part) { self.init(resource: part.resource, number: part.number) }
}

/// A lead of a stream, and its companions: their readings go through an `Alignment` to the socket.
///
/// The grants are those of the last revision. When one of them changes, all that waits is sent before that is
/// announced.
///
/// A reading that lacks a companion's leaves only when a turn is over. Within the turn, one device's readings are taken before
/// another's; after the host was held up, the other's would seem overdue, though they are there.
final class AlignedRequests {
    /// A lead and its companions, as the stream has them now.
    struct Group {
        let lead: Subscription.Part
        let companions: [Subscription.Part]

        fileprivate var all: [Subscription.Part] { [lead] + companions }
    }

    /// The number among all alignments, by which the deadline is found.
    let slot: Int
    private let lead: AlignedRequest
    let companions: [AlignedRequest]
    private let connection: Connection
    private let names: (lead: StreamedName, companions: [StreamedName])
    /// The grant of the lead, then those of the companions.
    private var grants: [Grant]
    private var alignment: Alignment
    /// The charge for the readings and gaps that wait or are kept; nil: they are few enough for any stream.
    private let charge: Reservation?
    /// Whether something has come, or what was expected is not any more, since it sent what it can.
    var hasChanged = false

    init(_ group: Group, on connection: Connection, slot: Int, _ catalog: Catalog, _ quotas: Quotas) {
        self.slot = slot
        self.connection = connection
        lead = AlignedRequest(group.lead)
        companions = group.companions.map(AlignedRequest.init)
        names = (group.lead.streamedName, group.companions.map(\.streamedName))
        grants = group.all.map(\.grant)
        let kinds = group.all.map { catalog[$0.resource].kind }
        // If the user's share of memory does not allow it, half as many, and so on down to what any stream may have.
        var fraction = 1
        var charge: Reservation?
        while charge == nil, fraction < Limits.alignedFraction {
            let readings = kinds.reduce(0) { $0 + Limits.alignedReadings(of: $1) / fraction * $1.keptBytes() }
            let bytes = readings + Alignment.lossBytes(companions: companions.count)
            charge = Reservation(connection.charge(bytes, of: quotas.bytes))
            if charge == nil { fraction *= 2 }
        }
        self.charge = charge
        let mosts = kinds.map { Limits.alignedReadings(of: $0) / fraction }
        alignment = Alignment(most: mosts[0], ofCompanions: Array(mosts.dropFirst()))
    }

    /// When a reading is sent without a silent companion; nil: none waits, or nothing can be sent.
    var deadline: BootTime? { canSend ? alignment.deadline : nil }

    private var canSend: Bool { connection.isFree }

    /// Whether it is of these requests, whatever their grants are.
    func isOf(_ group: Group) -> Bool {
        lead == AlignedRequest(group.lead) && companions == group.companions.map(AlignedRequest.init)
    }

    /// The requests have the grants that are about to be announced to the client.
    func follow(_ group: Group, _ now: BootTime) {
        let grants = group.all.map(\.grant)
        guard grants != self.grants else { return }
        sendRest(now)
        self.grants = grants
    }

    func contains(_ request: AlignedRequest) -> Bool { lead == request || companions.contains(request) }

    // MARK: what comes

    /// No reading of a companion's resource is expected, so nothing waits for one.
    func interrupt(_ resource: ResourceIndex) {
        for index in companions.indices where companions[index].resource == resource { alignment.interrupt(index) }
    }

    /// Takes what a lane has for one of its requests, or what that missed; a source counts as silent after `silence`.
    ///
    /// Returns whether it did: while the socket is full, no reading of the lead is taken, unless it was missed.
    func take(
        _ readings: SampleList, _ gaps: [Gap], of request: AlignedRequest, isMissed: Bool, silence: Int64,
        _ now: BootTime
    ) -> Bool {
        if let index = companions.firstIndex(of: request) {
            for gap in gaps { alignment.take(gap, of: index) }
            let reach = grants[index + 1].intervalNanoseconds.addingSaturating(silence)
            alignment.take(readings, of: index, reachNanoseconds: reach, now: now)
        } else {
            guard canSend || isMissed else { return false }
            alignment.take(readings, gaps)
        }
        // A turn after a long pause may bring more than is kept.
        if alignment.isFull { sendComplete(now) }
        return true
    }

    // MARK: what is sent

    /// Sends the readings that need not wait any longer, as far as the socket takes them.
    func send(_ now: BootTime) { send(waitingUntil: now, now) }

    /// Sends the readings that have all their companions, in the middle of a turn.
    func sendComplete(_ now: BootTime) { send(waitingUntil: nil, now) }

    private func send(waitingUntil instant: BootTime?, _ now: BootTime) {
        while canSend, let ready = alignment.ready(now: instant) {
            guard connection.stream(message(ready).span, now: now) else { return }
            alignment.didSend(ready)
        }
    }

    /// Sends all waiting readings now; what the socket does not take follows when it drains.
    func sendRest(_ now: BootTime) {
        while let ready = alignment.ready(now: now, isLast: true) {
            connection.reply(message(ready), now: now)
            alignment.didSend(ready)
        }
    }

    private func message(_ ready: Alignment.Ready) -> [UInt8] {
        let form = ReadingForm(hasSatellites: grants[0].hasSatellites, isPacked: grants[0].isPacked)
        return JSONWriter.reply(capacity: 1_024, continues: true) {
            $0.aligned(ready, names.lead, names.companions, form)
        }
    }
}
