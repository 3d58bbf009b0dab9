internal import Admission
internal import Delivery
internal import Readings
internal import Varlink

/// Resources and grants as the interface has them.
extension JSONWriter {
    mutating func resource(_ resource: OwnedResource, for rights: Rights) {
        let limits = resource.core.limits.raised(to: rights.shortestNanoseconds)
        beginObject()
        member("name", resource.core.name.description)
        member("kind", resource.core.kind.wire)
        member("reporting", resource.core.kind.row.reporting.rawValue)
        channels(of: resource.core.kind.row)
        member("state", resource.core.state.name)
        member("reason", resource.core.state.reason)
        member("simulated", resource.isSimulated)
        member("minimumIntervalNanoseconds", limits.minimumNanoseconds)
        member("maximumIntervalNanoseconds", limits.maximumNanoseconds)
        member("defaultIntervalNanoseconds", limits.defaultNanoseconds)
        member("deviceIntervalNanoseconds", resource.core.deviceIntervalNanoseconds)
        member("description", resource.core.description)
        endObject()
    }

    private mutating func channels(of row: KindRow) {
        beginArray("channels")
        for name in row.channels {
            beginObject()
            member("name", name.description)
            member("unit", row.unit.symbol)
            endObject()
        }
        endArray()
    }

    /// The key `resources` and those of the resources that a client with these rights may read.
    mutating func resources(_ resources: [OwnedResource], for rights: Rights) {
        beginArray("resources")
        for resource in resources where rights.mayRead(resource.core.kind) { self.resource(resource, for: rights) }
        endArray()
    }

    mutating func grant(_ grant: Grant, of core: borrowing Resource, _ label: String?) {
        beginObject()
        member("resource", core.name.description)
        member("label", label)
        member("intervalNanoseconds", grant.intervalNanoseconds)
        member("batchNanoseconds", grant.batchNanoseconds)
        member("deviceIntervalNanoseconds", core.deviceIntervalNanoseconds)
        endObject()
    }
}
