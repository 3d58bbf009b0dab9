internal import Delivery
internal import Readings
internal import Varlink

/// Resources and grants as the interface has them.
extension JSONWriter {
    mutating func resource(_ resource: ServedResource, for rights: Rights) {
        let core = resource.core
        let limits = rights.applied(to: core.limits)
        beginObject()
        member("name", core.name.description)
        member("kind", core.kind.rawValue)
        member("state", core.state.name)
        member("reason", core.state.reason)
        member("simulated", core.profile?.simulated ?? resource.isSimulated)
        member("minimumIntervalNanoseconds", limits.minimumNanoseconds)
        member("maximumIntervalNanoseconds", limits.maximumNanoseconds)
        member("defaultIntervalNanoseconds", limits.defaultNanoseconds)
        member("deviceIntervalNanoseconds", core.deviceIntervalNanoseconds)
        member("description", core.profile?.description)
        endObject()
    }

    /// The key `resources` and some of them, as far as one with these rights may read them.
    mutating func resources(_ resources: [ServedResource], for rights: Rights) {
        key("resources")
        beginArray()
        for resource in resources where rights.mayRead(resource.core.kind) { self.resource(resource, for: rights) }
        endArray()
    }

    mutating func grant(_ grant: Grant, of core: Resource) {
        beginObject()
        member("resource", core.name.description)
        member("intervalNanoseconds", grant.intervalNanoseconds)
        member("batchNanoseconds", grant.batchNanoseconds)
        member("deviceIntervalNanoseconds", core.deviceIntervalNanoseconds)
        endObject()
    }
}
