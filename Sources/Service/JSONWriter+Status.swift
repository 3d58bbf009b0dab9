internal import Delivery
internal import Devices
internal import Platform
internal import Readings
internal import Varlink

/// Devices and clients as the administrator's interface has them.
extension JSONWriter {
    mutating func device(_ resource: ServedResource) {
        let counters = resource.device.channel.counters
        beginObject()
        member("resource", resource.core.name.description)
        member("state", resource.core.state.name)
        member("subscribers", Int64(resource.core.subscriberCount))
        member("lanes", Int64(resource.core.lanes.count))
        member("deviceIntervalNanoseconds", resource.core.deviceIntervalNanoseconds)
        member("samples", Int64(clamping: counters.samples))
        member("opens", Int64(clamping: counters.opens))
        member("reuses", Int64(clamping: counters.reuses))
        member("evictions", Int64(clamping: counters.evictions))
        member("faults", Int64(clamping: counters.faults))
        member("lastFault", counters.lastFault?.description)
        member("refusedValues", Int64(clamping: counters.refusedValues))
        endObject()
    }

    mutating func client(_ connection: Connection, _ subscription: Subscription?, _ resources: [ServedResource]) {
        beginObject()
        member("id", Int64(connection.serial))
        member("processId", Int64(connection.peer.processID))
        member("userId", Int64(connection.peer.userID))
        member("connectedNanoseconds", connection.since.nanoseconds)
        member("subscription", subscription?.id)
        var delivered = subscription?.formerlyDelivered ?? 0
        var lost = subscription?.formerlyLost ?? 0
        key("resources")
        beginArray()
        for part in subscription?.parts ?? [] {
            let resource = resources[part.resource]
            guard let place = resource.core.place(of: .connection(connection.token)) else { continue }
            let member = resource.core.lanes[place.lane].members[place.member]
            delivered += member.delivered
            lost += member.losses.total
            self.part(part.grant, resource.core.name, member)
        }
        endArray()
        member("queuedBytes", Int64(connection.queuedBytes))
        member("deliveredReadings", Int64(delivered))
        member("lostReadings", Int64(lost))
        endObject()
    }

    /// A client's grant and account of one resource.
    private mutating func part(_ grant: Grant, _ name: ResourceName, _ account: Member) {
        beginObject()
        member("resource", name.description)
        member("intervalNanoseconds", grant.intervalNanoseconds)
        member("batchNanoseconds", grant.batchNanoseconds)
        member("filter", grant.filter.rawValue)
        member("minimumChange", grant.minimumChange)
        member("deliveredReadings", Int64(account.delivered))
        member("lostReadings", Int64(account.losses.total))
        key("lost")
        losses(account.losses)
        endObject()
    }

    /// The lost readings, by the causes of their gaps.
    mutating func losses(_ losses: Losses) {
        beginObject()
        for cause in Gap.Cause.allCases where losses[cause] > 0 {
            key(escaping: cause.rawValue)
            integer(losses[cause])
        }
        endObject()
    }
}
