internal import BrokerClient
internal import Varlink

/// A call that begins or changes the stream: requests that it adds or replaces, and others that it removes.
struct Change: Equatable {
    /// Former brokers accept no call of more than 256 keys; a request has ten at most.
    private static let keysPerCall = 200
    /// How many keys a request has that leaves out nothing.
    private static let mostKeys = 9

    var requests: [Tag: SensorRequest] = [:]
    var removed: Set<Tag> = []

    var isEmpty: Bool { requests.isEmpty && removed.isEmpty }

    /// What has to be changed among some channels in one call, the oldest first, and those of which nothing has to be, or can be now.
    static func next(
        among tags: some Collection<Tag>, _ channels: Channels, carried: [Tag: SensorRequest], most: Int,
        isHeld: (Tag) -> Bool
    ) -> (change: Self, settled: Set<Tag>) {
        var change = Self()
        var keys = 0
        var settled: Set<Tag> = []
        let ordered = tags.map { (tag: $0, id: channels.id(of: $0)) }.sorted {
            ($0.id?.number ?? 0) < ($1.id?.number ?? 0)
        }
        for (tag, id) in ordered {
            let wanted = id.flatMap { channels[$0] }?.request
            guard wanted != carried[tag] else {
                settled.insert(tag)
                continue
            }
            guard let wanted else {
                change.removed.insert(tag)
                continue
            }
            // All requests of the resource are tried again later.
            if isHeld(tag) {
                settled.insert(tag)
                continue
            }
            guard change.requests.count < most, keys < keysPerCall else { continue }
            keys += mostKeys + 4 * wanted.companions.count
            change.requests[tag] = wanted
        }
        return (change, settled)
    }

    /// What the broker calls the requests that are removed, with what is aligned to them.
    func namesRemoved(from carried: [Tag: SensorRequest]) -> [String] {
        removed.flatMap { tag in
            [tag.name] + (carried[tag]?.companions.indices.map(tag.label(ofCompanion:)) ?? [])
        }.sorted()
    }

    /// The requests as the broker reads them.
    var wire: JSONValue {
        let wire = requests.flatMap { tag, request in
            var lead = request.wire
            lead.label = tag.label
            let companions = request.companions.enumerated().map { index, resource in
                var companion = BrokerClient.Request(resource: resource.description)
                companion.label = tag.label(ofCompanion: index)
                companion.intervalNanoseconds =
                    request.needsEachSample(of: resource) ? 0 : lead.intervalNanoseconds
                companion.alignTo = tag.name
                return companion
            }
            return [lead] + companions
        }
        return .array(wire.sorted { ($0.resource, $0.label ?? "") < ($1.resource, $1.label ?? "") }.map(\.json))
    }
}

extension SensorRequest {
    /// Whether a companion's value at the times of the readings is one of its samples, of which it may be any.
    ///
    /// What is derived has the times of its source's samples, which need not be those that the source would have at this interval. And
    /// without an interval, each resource would have its own.
    fileprivate func needsEachSample(of companion: ResourceName) -> Bool {
        guard let origins = Kind(resource: resource.word)?.row.origins, !origins.isEmpty else { return false }
        return interval == nil || origins.contains { $0.row.resource == companion.word }
    }
}
