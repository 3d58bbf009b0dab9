internal import Admission
internal import Delivery
internal import Varlink

/// The messages of streams other than readings and gaps, as bytes: grants, and the states of resources.
struct StreamMessages {
    private let catalog: Catalog
    /// The last message that contained states and nothing else.
    private var statesReply: StatesReply?

    init(_ catalog: Catalog) { self.catalog = catalog }

    func firstReply(_ subscription: Subscription) -> [UInt8] {
        var writer = JSONWriter(capacity: 1_024)
        writer.beginReply()
        writer.member("subscription", subscription.id.description)
        writer.member("revision", Int64(subscription.revision))
        grants(subscription.parts, into: &writer)
        var seen: Set<ResourceIndex> = []
        let resources = subscription.parts.map(\.resource).filter { seen.insert($0).inserted }
        writer.resources(resources.map { catalog[$0] }, for: catalog.rights(of: subscription.connection))
        writer.endReply(continues: true)
        return writer.bytes
    }

    /// What is pending for a stream: its revision, some grants, and states.
    func updateReply(_ subscription: Subscription, _ parts: [Subscription.Part]) -> [UInt8] {
        var writer = JSONWriter(capacity: 512)
        writer.beginReply()
        if subscription.pending.revision { writer.member("revision", Int64(subscription.revision)) }
        if !parts.isEmpty { grants(parts, into: &writer) }
        if !subscription.pending.states.isEmpty {
            let resources = subscription.pending.states.sorted().map { catalog[$0] }
            writer.resources(resources, for: catalog.rights(of: subscription.connection))
        }
        writer.endReply(continues: true)
        return writer.bytes
    }

    /// The states that are pending for a stream, if nothing else is.
    ///
    /// The message is written once for all streams that get the same one in succession.
    mutating func statesReply(_ subscription: Subscription, newest: Int) -> [UInt8] {
        let key = StatesReply.Key(
            newest: newest, resources: subscription.pending.states, rights: catalog.rights(of: subscription.connection))
        if let statesReply, statesReply.key == key { return statesReply.bytes }
        var writer = JSONWriter(capacity: 512)
        writer.beginReply()
        writer.resources(key.resources.sorted().map { catalog[$0] }, for: key.rights)
        writer.endReply(continues: true)
        statesReply = StatesReply(key: key, bytes: writer.bytes)
        return writer.bytes
    }

    /// The parts whose grants are pending, as many as go into one message.
    ///
    /// Those of requests with labels are not sent with every revision: there may be a thousand.
    func pendingParts(_ subscription: Subscription) -> [Subscription.Part] {
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

    /// The key `grants` and the grants.
    func grants(_ parts: [Subscription.Part], into writer: inout JSONWriter) {
        writer.beginArray("grants")
        for part in parts { writer.grant(part.grant, of: catalog[part.resource].core, part.request.label) }
        writer.endArray()
    }
}

/// A message with the states of some resources, kept for the next stream that gets the same.
private struct StatesReply {
    /// What the message depends on: each change of a state has a number.
    struct Key: Equatable {
        let newest: Int
        let resources: Set<ResourceIndex>
        let rights: Rights
    }

    let key: Key
    let bytes: [UInt8]
}
