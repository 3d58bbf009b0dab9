internal import Delivery
internal import Devices
internal import Platform
internal import Readings
internal import Varlink

/// Devices and clients as the administrator's interface has them.
extension JSONWriter {
    mutating func resource(_ resource: OwnedResource, _ counters: DeviceCounters) {
        beginObject()
        member("resource", resource.core.name.description)
        member("state", resource.core.state.name)
        member("subscribers", Int64(resource.core.lanes.clientCount))
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

    /// Begins the object of a client, up to its grants.
    mutating func beginClient(_ connection: Connection, _ subscription: Subscription?) {
        beginObject()
        member("id", Int64(connection.serial))
        member("processId", Int64(connection.peer.processID))
        member("userId", Int64(connection.peer.userID))
        member("connectedNanoseconds", connection.since.nanoseconds)
        member("subscription", subscription?.id.description)
        beginArray("resources")
    }

    /// Ends the object of a client, with the sums of its readings.
    mutating func endClient(queuedBytes: Int, lagNanoseconds: Int64?, delivered: Int, lost: Int) {
        endArray()
        member("queuedBytes", Int64(queuedBytes))
        member("lagNanoseconds", lagNanoseconds)
        member("deliveredReadings", Int64(delivered))
        member("lostReadings", Int64(lost))
        endObject()
    }

    /// What a client asked of one resource, what it was granted, and its account.
    mutating func part(_ part: Subscription.Part, _ name: ResourceName, _ account: Member) {
        beginObject()
        member("resource", name.description)
        member("label", part.request.label)
        member("requestedIntervalNanoseconds", part.request.intervalNanoseconds)
        member("requestedBatchNanoseconds", part.request.batchNanoseconds)
        member("intervalNanoseconds", part.grant.intervalNanoseconds)
        member("batchNanoseconds", part.grant.batchNanoseconds)
        member("filter", part.grant.filter.rawValue)
        member("minimumChange", part.grant.minimumChange)
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
