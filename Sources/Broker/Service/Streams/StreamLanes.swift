internal import Delivery
internal import Readings

/// Puts the requests of streams into lanes of their resources, and takes them out.
struct StreamLanes {
    let catalog: Catalog

    /// Puts a request into a lane; the caller settles the device.
    func join(
        _ subscription: Subscription, _ part: Subscription.Part, inheriting former: Member?, _ sink: BrokerSink,
        _ now: BootTime
    ) {
        let client = part.client(of: subscription.connection)
        catalog[part.resource].join(client, part.grant, inheriting: former, to: sink, now: now)
    }

    /// Takes requests out of their lanes, after what these had gathered for them was sent; returns their accounts by their names.
    func leave(
        _ subscription: Subscription, _ parts: [Subscription.Part], _ sink: BrokerSink, _ now: BootTime
    ) -> [String: Member] {
        var accounts: [String: Member] = [:]
        for (index, group) in Self.byResource(parts) {
            let clients = group.map { $0.client(of: subscription.connection) }
            let members = catalog[index].leave(clients, to: sink, now: now)
            for (part, client) in zip(group, clients) { accounts[part.name] = members[client] }
        }
        return accounts
    }

    /// Settles the devices of requests that have come or gone, each once, after all of them: a device that is asked for two kinds
    /// one after the other would start its buffer twice.
    func settle(_ parts: [Subscription.Part], _ sink: BrokerSink, _ now: BootTime) {
        for (index, _) in Self.byResource(parts) { catalog.device(of: index).core.settle(to: sink, now: now) }
    }

    /// Parts by their resources, in the order of the first part of each.
    private static func byResource(_ parts: [Subscription.Part]) -> [(
        resource: ResourceIndex, parts: [Subscription.Part]
    )] {
        var groups: [(resource: ResourceIndex, parts: [Subscription.Part])] = []
        var known: [ResourceIndex: Int] = [:]
        for part in parts {
            if let index = known[part.resource] {
                groups[index].parts.append(part)
            } else {
                known[part.resource] = groups.count
                groups.append((part.resource, [part]))
            }
        }
        return groups
    }
}
