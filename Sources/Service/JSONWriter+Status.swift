internal import Delivery
internal import Devices
internal import Platform
internal import Readings
internal import Varlink

/// Devices and clients as the administrator's interface has them.
extension JSONWriter {
    mutating func device(_ resource: ServedResource) {
        let counters = resource.channel.counters
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
        let mine = subscription?.parts.map { resources[$0.resource] } ?? []
        var delivered = subscription?.formerlyDelivered ?? 0
        var lost = subscription?.formerlyLost ?? 0
        for resource in mine {
            guard let place = resource.core.place(of: connection.token) else { continue }
            delivered += resource.core.lanes[place.lane].members[place.member].delivered
            lost += resource.core.lanes[place.lane].members[place.member].lost
        }
        beginObject()
        member("id", Int64(connection.serial))
        member("processId", Int64(connection.peer.processID))
        member("userId", Int64(connection.peer.userID))
        member("subscription", subscription?.id)
        key("resources")
        beginArray()
        for resource in mine { string(resource.core.name.description) }
        endArray()
        member("queuedBytes", Int64(connection.queuedBytes))
        member("deliveredReadings", Int64(delivered))
        member("lostReadings", Int64(lost))
        endObject()
    }
}
