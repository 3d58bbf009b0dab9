internal import Delivery
internal import Readings
internal import Varlink

/// Tells streams what they are owed besides their readings: revisions, grants, states of resources, and the gaps of requests that
/// they no longer have.
final class StreamDebts {
    /// The states of resources that are still to be announced to streams.
    let announcements = StreamNews()
    private let granting: Granting
    private var messages: StreamMessages

    init(_ catalog: Catalog, _ granting: Granting) {
        self.granting = granting
        messages = StreamMessages(catalog)
    }

    /// The first reply of a stream.
    func firstReply(_ subscription: Subscription) -> [UInt8] { messages.firstReply(subscription) }

    /// Sends a stream what it is owed, unless its socket is full: then the debt waits, and does not grow.
    func tell(_ subscription: Subscription, _ now: BootTime) {
        // Only a tap follows the device's pace, which a state may change.
        if subscription.lacks(announcements), subscription.owe(announcements), subscription.hasTap {
            granting.fitSendBuffer(subscription)
        }
        guard subscription.connection.blockedSince == nil else { return }
        for (name, gaps) in subscription.takeOwedGaps() { tell(gaps, of: name, subscription.connection, now) }
        while subscription.hasDebts, subscription.connection.blockedSince == nil {
            var parts: [Subscription.Part] = []
            if subscription.owesRevision || !subscription.owedGrants.isEmpty {
                parts = messages.owedParts(subscription)
                subscription.connection.reply(messages.debtsReply(subscription, parts), now: now)
            } else {
                let states = messages.statesReply(subscription, news: announcements.newest)
                subscription.connection.reply(states, now: now)
            }
            subscription.didTellDebts(withGrantsOf: parts)
        }
    }

    private func tell(_ gaps: [Gap], of name: StreamedName, _ connection: Connection, _ now: BootTime) {
        guard !gaps.isEmpty else { return }
        var writer = JSONWriter(capacity: 512)
        writer.beginReply()
        writer.gaps(gaps, of: name.resource, name.label)
        writer.endReply(continues: true)
        connection.reply(writer.bytes, now: now)
    }

    /// The key `grants` and the grants that a `Modify` tells: those of its requests, and of all without labels.
    func writeGrants(of subscription: Subscription, for requests: [Request], into writer: inout JSONWriter) {
        let names = Set(requests.map(\.name))
        let parts = subscription.parts.filter { $0.request.label == nil || names.contains($0.name) }
        messages.grants(parts, into: &writer)
    }
}
