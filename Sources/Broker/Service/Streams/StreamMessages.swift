internal import Admission
internal import Delivery
internal import Varlink

/// The messages of streams other than readings and gaps, as bytes: grants, and the states of resources.
struct StreamMessages {
    private let catalog: Catalog
    /// The last message that contained states and nothing else, and what it depends on: each change of a state has a number.
    private var statesReply: (newest: Int, resources: Set<ResourceIndex>, rights: Rights, bytes: [UInt8])?

    init(_ catalog: Catalog) { self.catalog = catalog }

    func firstReply(_ subscription: Subscription) -> [UInt8] {
        var seen: Set<ResourceIndex> = []
        let resources = subscription.parts.map(\.resource).filter { seen.insert($0).inserted }
        return JSONWriter.reply(capacity: 1_024, continues: true) { writer in
            writer.member("subscription", subscription.id.description)
            writer.member("revision", Int64(subscription.revision))
            grants(subscription.parts, into: &writer)
            writer.resources(resources.map { catalog[$0] }, for: catalog.rights(of: subscription.connection))
        }
    }

    /// What is pending for a stream: its revision, some grants, and states.
    ///
    /// If that is only states, the message is written once for all streams that get the same one in succession.
    mutating func updateReply(_ subscription: Subscription, _ parts: [Subscription.Part], newest: Int) -> [UInt8] {
        let pending = subscription.pending
        let rights = pending.states.isEmpty ? Rights.none : catalog.rights(of: subscription.connection)
        if !pending.hasGrants, let last = statesReply,
            (last.newest, last.resources, last.rights) == (newest, pending.states, rights)
        {
            return last.bytes
        }
        let bytes = JSONWriter.reply(continues: true) { writer in
            if pending.revision { writer.member("revision", Int64(subscription.revision)) }
            if !parts.isEmpty { grants(parts, into: &writer) }
            if !pending.states.isEmpty { writer.resources(pending.states.sorted().map { catalog[$0] }, for: rights) }
        }
        if !pending.hasGrants { statesReply = (newest, pending.states, rights, bytes) }
        return bytes
    }

    /// The parts whose grants are pending, as many as go into one message.
    ///
    /// Those of requests with labels are not sent with every revision: there may be a thousand.
    func pendingParts(_ subscription: Subscription) -> [Subscription.Part] {
        guard subscription.pending.hasGrants else { return [] }
        var room = Limits.grantsPerReply
        return subscription.parts.filter { part in
            if part.request.label == nil {
                return subscription.pending.revision || subscription.pending.grants.contains(part.name)
            }
            guard room > 0, subscription.pending.grants.contains(part.name) else { return false }
            room -= 1
            return true
        }
    }

    func grants(_ parts: [Subscription.Part], into writer: inout JSONWriter) {
        writer.beginArray("grants")
        for part in parts { writer.grant(part.grant, of: catalog[part.resource].core, part.request.label) }
        writer.endArray()
    }
}
