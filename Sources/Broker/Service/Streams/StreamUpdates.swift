internal import Delivery
internal import Readings
internal import Varlink

/// Sends streams what is pending for them besides their readings: revisions, grants, states of resources, and the gaps of requests
/// that they no longer have.
final class StreamUpdates {
    /// The states of resources that are still to be announced to streams.
    let announcements = ResourceChanges()
    private let granting: Granting
    private let streams: StreamTable
    private let alignments: Alignments
    private let clock: () -> BootTime
    private var messages: StreamMessages

    init(
        _ granting: Granting, _ streams: StreamTable, _ alignments: Alignments, clock: @escaping () -> BootTime
    ) {
        self.granting = granting
        self.streams = streams
        self.alignments = alignments
        self.clock = clock
        messages = StreamMessages(granting.catalog)
    }

    func firstReply(_ subscription: Subscription) -> [UInt8] { messages.firstReply(subscription) }

    /// Sends a stream what is pending for it, unless its socket is full: then that waits, and does not grow.
    func send(to subscription: Subscription, _ now: BootTime) {
        // Only a tap follows the device's pace, which a state may change.
        if subscription.pending.lacks(announcements), subscription.add(announcements), subscription.hasTap {
            granting.fitSendBuffer(subscription)
        }
        guard subscription.connection.blockedSince == nil else { return }
        if subscription.pending.isMoreThanGaps { alignments.sendComplete(to: subscription.connection.token, now) }
        for (name, gaps) in subscription.pending.takeGaps() { send(gaps, of: name, subscription.connection, now) }
        while subscription.pending.isMoreThanGaps, subscription.connection.blockedSince == nil {
            let parts = messages.pendingParts(subscription)
            let update = messages.updateReply(subscription, parts, newest: announcements.newest)
            subscription.connection.reply(update, now: now)
            subscription.pending.didSend(grantsOf: parts)
        }
    }

    private func send(_ gaps: [Gap], of name: StreamedName, _ connection: Connection, _ now: BootTime) {
        guard !gaps.isEmpty else { return }
        connection.reply(continues: true, now: now) { $0.gaps(gaps, of: name.resource, name.label) }
    }

    /// The key `grants` and the grants that a `Modify` announces: those of its requests, and of all without labels.
    func writeGrants(of subscription: Subscription, for requests: [Request], into writer: inout JSONWriter) {
        let names = Set(requests.map(\.name))
        let parts = subscription.parts.filter { $0.request.label == nil || names.contains($0.name) }
        messages.grants(parts, into: &writer)
    }

    // MARK: announcements

    /// Visits the streams that have not received some changes, as many as there is time for in this turn.
    func forEachStream(of changes: ResourceChanges, _ visit: (Subscription) -> Void) {
        let begin = clock()
        while clock() - begin < Limits.announceTurnNanoseconds, let token = changes.next(streams.tokens) {
            if let stream = streams[token] { visit(stream) }
        }
    }

    /// Announces changes of resources to streams, as many as there is time for in this turn.
    func sendAnnouncements(_ now: BootTime) {
        guard announcements.isPending else { return }
        forEachStream(of: announcements) { send(to: $0, now) }
    }

    /// A resource is about to change its state: the present one is announced now to all streams that have not received
    /// it, however many they are, so that each state is announced.
    func finishAnnouncements(of index: ResourceIndex, _ now: BootTime) {
        guard announcements.contains(index) else { return }
        while let token = announcements.next(streams.tokens) {
            if let stream = streams[token] { send(to: stream, now) }
        }
    }

    /// Announces a resource's state to the streams that are about to receive readings of it.
    func sendAnnouncements(toMembersOf resource: OwnedResource, onlyGathering: Bool, _ now: BootTime) {
        guard announcements.isPending else { return }
        for lane in resource.core.lanes.indices {
            guard resource.core.lanes[lane].hasOutgoing, !onlyGathering || resource.core.lanes[lane].isGathering else {
                continue
            }
            for member in resource.core.lanes[lane].members.indices {
                guard case .connection(let token, _) = resource.core.lanes[lane].members[member].client,
                    let stream = streams[token], stream.pending.lacks(announcements)
                else { continue }
                send(to: stream, now)
            }
        }
    }
}
