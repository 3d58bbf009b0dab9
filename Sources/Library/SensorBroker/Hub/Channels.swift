/// The channels of a program: one for each distinct request, by whatever they are looked for.
struct Channels {
    private var entries: [ChannelID: Channel] = [:]
    private var names = IDs()
    private var tagged: [Tag: ChannelID] = [:]
    private var requested: [SensorRequest: ChannelID] = [:]
    private var byResource: [ResourceName: Set<ChannelID>] = [:]
    /// Those without listeners, kept for reuse.
    private(set) var warm: Set<ChannelID> = []
    /// Resources that the broker does not have, and that some listener waits for.
    private(set) var awaited: Set<ResourceName> = []
    /// The channels that the stream may carry otherwise than it should, also such as are gone.
    private(set) var unsettled: Set<Tag> = []

    var isEmpty: Bool { entries.isEmpty }
    var count: Int { entries.count }
    /// All of them.
    var all: some Collection<(key: ChannelID, value: Channel)> { entries }
    /// Their names, the oldest first.
    var ids: [ChannelID] { entries.keys.sorted() }
    var tags: some Collection<Tag> { tagged.keys }

    subscript(id: ChannelID) -> Channel? { entries[id] }

    func id(of tag: Tag) -> ChannelID? { tagged[tag] }
    func id(of request: SensorRequest) -> ChannelID? { requested[request] }

    /// Whether there is a channel of a resource.
    func has(_ resource: ResourceName) -> Bool { byResource[resource] != nil }

    /// Whether a resource is requested, by itself or beside another one.
    func want(_ resource: ResourceName) -> Bool {
        has(resource) || entries.values.contains { $0.request.companions.contains(resource) }
    }

    /// The channels of a resource.
    func of(_ resource: ResourceName) -> some Collection<Channel> {
        byResource[resource, default: []].lazy.compactMap { entries[$0] }
    }

    /// The names of a resource's channels, the oldest first.
    func ids(of resource: ResourceName) -> [ChannelID] { byResource[resource, default: []].sorted() }

    /// Adds a channel, with a label if the resource has a channel without one.
    mutating func add(_ request: SensorRequest, since now: BootTime) -> ChannelID {
        let id: ChannelID = names.next()
        let plain = Tag(resource: request.resource, label: nil)
        // The names of resources are no labels, and what is aligned to it needs such.
        let isPlain = tagged[plain] == nil && request.companions.isEmpty
        let tag = isPlain ? plain : Tag(resource: request.resource, label: "\(id)")
        entries[id] = Channel(request: request, tag: tag, since: now)
        tagged[tag] = id
        requested[request] = id
        byResource[request.resource, default: []].insert(id)
        warm.insert(id)
        unsettled.insert(tag)
        return id
    }

    /// Removes a channel without listeners.
    mutating func remove(_ id: ChannelID) {
        guard let channel = entries.removeValue(forKey: id) else { return }
        assert(channel.listeners.isEmpty, "a channel with listeners stays")
        let resource = channel.tag.resource
        tagged[channel.tag] = nil
        if requested[channel.request] == id { requested[channel.request] = nil }
        byResource[resource]?.remove(id)
        if byResource[resource]?.isEmpty == true {
            byResource[resource] = nil
            awaited.remove(resource)
        }
        warm.remove(id)
        unsettled.insert(channel.tag)
    }

    /// Notes something of a channel.
    mutating func update(_ id: ChannelID, _ change: (inout Channel) -> Void) {
        guard let index = entries.index(forKey: id) else { return }
        change(&entries.values[index])
    }

    /// Gives a channel another request for the same resource.
    mutating func setRequest(_ request: SensorRequest, of id: ChannelID) {
        guard let former = entries[id] else { return }
        assert(former.request.resource == request.resource, "a channel stays with its resource")
        if requested[former.request] == id { requested[former.request] = nil }
        entries[id]?.request = request
        requested[request] = requested[request] ?? id
    }

    /// Puts a listener on a channel.
    mutating func join(_ listener: ListenerID, _ id: ChannelID) {
        assert(entries[id] != nil, "a listener is on a channel that there is")
        entries[id]?.listeners.insert(listener)
        entries[id]?.warmUntil = nil
        warm.remove(id)
    }

    /// Takes a listener from its channel.
    mutating func leave(_ listener: ListenerID, _ id: ChannelID, asked: SensorRequest?) {
        assert(entries[id]?.listeners.contains(listener) == true, "a channel knows its listeners")
        entries[id]?.listeners.remove(listener)
        entries[id]?.newcomers[listener] = nil
        entries[id]?.pasts[listener] = nil
        entries[id]?.lastAsked = asked
        if entries[id]?.isWarm == true { warm.insert(id) }
    }

    /// Has the requests for a resource wait until the broker has it.
    mutating func await(_ resource: ResourceName) {
        assert(has(resource), "somebody waits for it")
        awaited.insert(resource)
    }

    /// Requests those of some resources that were waited for; others are left as they are.
    mutating func resume(_ resources: some Sequence<ResourceName>) {
        for resource in resources where awaited.remove(resource) != nil { unsettle(resource) }
    }

    /// The stream may carry one channel otherwise than it should.
    mutating func unsettle(_ tag: Tag) { unsettled.insert(tag) }

    /// The stream may carry the channels of a resource otherwise than it should.
    mutating func unsettle(_ resource: ResourceName) {
        for id in byResource[resource, default: []] { if let tag = entries[id]?.tag { unsettled.insert(tag) } }
    }

    /// The stream carries nothing any more.
    mutating func unsettleAll() { unsettled = Set(tagged.keys) }

    /// The stream carries these as it should, or will be asked again about them.
    mutating func settle(_ tags: Set<Tag>) { unsettled.subtract(tags) }
}
