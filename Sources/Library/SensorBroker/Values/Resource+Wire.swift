internal import BrokerClient

// Converts values on the wire to values for programs. What the library does not know becomes a value that states that,
// never an error.

extension Gap {
    init?(_ gap: BrokerClient.Gap) {
        guard let resource = ResourceName(gap.resource) else { return nil }
        self.init(
            resource: resource, cause: Cause(name: gap.cause), count: gap.count.map { Int(clamping: $0) },
            from: BootTime(nanoseconds: gap.fromNanoseconds), until: BootTime(nanoseconds: gap.untilNanoseconds))
    }
}

extension Grant {
    init?(_ grant: BrokerClient.Grant) {
        guard let resource = ResourceName(grant.resource) else { return nil }
        self.init(
            resource: resource, interval: .nanoseconds(grant.intervalNanoseconds),
            batch: .nanoseconds(grant.batchNanoseconds),
            deviceInterval: grant.deviceIntervalNanoseconds.map { .nanoseconds($0) })
    }
}

extension Resource {
    init?(_ resource: BrokerClient.Resource) {
        guard let name = ResourceName(resource.name) else { return nil }
        let shortest = min(resource.minimumIntervalNanoseconds, resource.maximumIntervalNanoseconds)
        let longest = max(resource.minimumIntervalNanoseconds, resource.maximumIntervalNanoseconds)
        self.init(
            name: name, kind: Kind(wire: resource.kind),
            state: ResourceState(name: resource.state, reason: resource.reason), isSimulated: resource.simulated,
            intervals: .nanoseconds(shortest) ... .nanoseconds(longest),
            defaultInterval: .nanoseconds(resource.defaultIntervalNanoseconds), device: resource.description)
    }
}

extension ResourceState {
    init(name: String, reason: String?) {
        switch name {
        case "idle": self = .idle
        case "warm": self = .warm
        case "starting": self = .starting
        case "active": self = .active
        case "stale": self = .stale(reason: reason ?? "")
        case "unavailable": self = .unavailable(reason: reason ?? "")
        case "released": self = .released
        default: self = .stale(reason: "its state '\(name)' is newer than this library")
        }
    }
}
