/// What the broker calls a request of the subscription.
struct Tag: Hashable {
    let resource: ResourceName
    /// Only a further request for a resource needs one.
    let label: String?

    /// What changes call the request.
    var name: String { label ?? resource.description }

    /// The label of the request for what is aligned to it.
    func label(ofCompanion index: Int) -> String { "\(name).\(index)" }

    /// The label that a label of what is aligned belongs to; nil if it is none.
    static func lead(of label: String) -> String? {
        label.lastIndex(of: ".").map { String(label[..<$0]) }
    }
}

/// What a listener has had of a resource before it comes to a channel.
struct Past {
    /// Until when it knows what there was.
    let covered: BootTime
    /// At what interval batches were gathered for it, of which the last one does not come any more; nil: none were.
    let gathered: Duration?
}

/// One distinct request and its listeners: a subscription, as the program sees it.
struct Channel {
    /// The request.
    var request: SensorRequest
    /// What the broker calls the request.
    let tag: Tag
    /// Those who get what comes.
    var listeners: Set<ListenerID> = []
    /// Of these, those that came to a running stream and have had no reading so far, and since when they listen.
    var newcomers: [ListenerID: BootTime] = [:]
    /// Of these, those that had readings of the resource when they came, until their first one here.
    var pasts: [ListenerID: Past] = [:]
    /// What the listener that left last had asked for.
    var lastAsked: SensorRequest?
    /// The grant.
    var grant: Grant?
    /// Until when the listeners know what there was: the time of the newest reading, or the end of a later gap; nil if there was no
    /// reading.
    var covered: BootTime?
    /// True since the broker went away, until the next reading.
    var isInterrupted = false
    /// Why the request is not granted, as far as that is known; the listeners know it.
    var fault: SensorError?
    /// For how long there has been no reading.
    var silence: Silence
    /// When an unused channel is closed; nil while it has listeners.
    var warmUntil: BootTime?

    init(request: SensorRequest, tag: Tag, since: BootTime) {
        self.request = request
        self.tag = tag
        silence = Silence(since: since)
    }

    /// Whether each sample of the device is a reading, so that the readings of a message without a gap have successive numbers.
    var isOfEachSample: Bool {
        grant?.interval == .zero && request.filter != .mean && (request.minimumChange ?? 0) == 0
    }

    /// True without listeners: the channel is kept for reuse.
    var isWarm: Bool { listeners.isEmpty }

    /// Those whom a gap concerns: what was missing before somebody came is not missing to it.
    func listeners(concernedBy gap: Gap) -> [ListenerID] {
        listeners.filter { listener in newcomers[listener].map { $0 < gap.from } ?? true }
    }

    /// What a listener takes along to another channel of the resource; nil: it has had nothing of it.
    func past(of listener: ListenerID) -> Past? {
        let gathered = (grant?.batch ?? .zero) > .zero ? grant?.pace : nil
        if let past = pasts[listener] { return Past(covered: past.covered, gathered: past.gathered ?? gathered) }
        guard let covered, newcomers[listener] == nil else { return nil }
        return Past(covered: covered, gathered: gathered)
    }

    /// What a listener with a past does not get before its first reading here; nil: nothing is missing.
    ///
    /// The batch that was gathered when it left comes to those who have stayed. Its next reading may come an interval of each channel later.
    func gap(since past: Past, until: BootTime) -> Gap? {
        guard let gathered = past.gathered else { return nil }
        let normal = gathered + (grant?.pace ?? .zero)
        guard until - past.covered > (normal + normal / 2).clampedNanoseconds else { return nil }
        return Gap(resource: request.resource, cause: .reconfigured, count: nil, from: past.covered, until: until)
    }

    /// Whether a reading is recent enough for a new listener: not older than the interval, as in the broker itself.
    func isFresh(_ timestamp: BootTime, now: BootTime) -> Bool {
        now - timestamp <= (grant?.interval ?? request.interval ?? .zero).clampedNanoseconds
    }

    /// When the channel may count as silent if nothing comes.
    ///
    /// Nil if it is silent already, or if its silence would mean nothing: the broker knows why nothing comes, or a reading comes only
    /// after a change.
    func silentAt(_ resources: ResourceList) -> BootTime? {
        let resource = request.resource
        guard !silence.isSilent, let grant, resources[resource]?.state == .active, (request.minimumChange ?? 0) == 0,
            resources.kind(of: resource)?.row.reporting == .continuous
        else { return nil }
        return silence.ends(after: grant)
    }

    /// Why what is known of the resource is not called live although the broker reported nothing else.
    var silentReason: String {
        let interval = grant.map { ", although one is due every \($0.interval)" } ?? ""
        return "no reading has come for a while\(interval); perhaps the broker is stopped"
    }
}

extension Grant {
    /// From one reading to the next, as far as that is known.
    fileprivate var pace: Duration { max(interval, deviceInterval ?? .zero) }
}
