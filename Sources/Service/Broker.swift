public import Admission
internal import Delivery
public import Devices
public import Platform
public import Readings
internal import Varlink

/// Everything the daemon serves: the resources, and the clients' subscriptions to them.
///
/// A reading's way through here: a device's thread rings, `deviceSpoke` takes what it said and hands it to
/// `Delivery`, which decides; `BrokerSink` encodes what a lane has to say once and sends it to each member.
/// Confined to the loop's thread.
public final class Broker: Scheduled {
    let server: Server
    let journal: Journal
    /// The resources, and what clients may have of them.
    let catalog = Catalog()
    let streams: Streams
    /// The clients that watch the list of resources.
    let listWatchers: ListWatchers
    /// What an administrator has given up.
    let releases = DeviceReleases()
    private var missingDevices = MissingDevices()
    let hangWatch: HangWatch
    private var agenda = Agenda()
    /// When the first device, or alarm of the agenda, is due, as the loop heard before its last wait; nil: none.
    private var dueAt: BootTime? = BootTime(nanoseconds: 0)
    let startedAt: BootTime
    /// Whether a resource was refused because there are too many: said once.
    var hasRefusedArrival = false

    /// What is written down in case this process dies; nil: nothing is.
    var checkpoint: Checkpoint?
    let rounds: LedgerRounds

    /// What a device's thread has said, in storage that is used again and again.
    var events: [DeviceEvent] = []
    /// Where delivery has its messages, and what else it says, go.
    private(set) lazy var sink = BrokerSink(self)
    private let health: Health?

    /// A broker without resources, on a server's loop.
    public init(
        server: Server, journal: Journal, health: Health?, startedAt: BootTime,
        hangNanoseconds: Int64 = Limits.hangNanoseconds
    ) {
        hangWatch = HangWatch(limitNanoseconds: hangNanoseconds)
        listWatchers = ListWatchers(clock: server.clock, hasStreams: { [quotas = server.quotas] in quotas.hasStreams })
        streams = Streams(catalog, server)
        rounds = LedgerRounds(server)
        self.server = server
        self.journal = journal
        self.health = health
        self.startedAt = startedAt
        setAlarms()
    }

    private func setAlarms() {
        let (streams, listWatchers, releases, hangWatch) = (streams, listWatchers, releases, hangWatch)
        agenda.add("releases", at: { releases.deadline }) { [unowned self] in expireReleases($0) }
        agenda.add("hanging threads", at: { hangWatch.deadline }) { [unowned self] in checkHangs($0) }
        agenda.add("silent streams", at: { streams.silenceDeadline }, streams.sendHeartbeats)
        agenda.add("lists", at: { listWatchers.deadline }, mayGoOn: true) { [unowned self] in tellLists($0) }
        agenda.add("checkpoint", at: { [unowned self] in checkpoint?.due }) { [unowned self] in writeCheckpoint(now: $0)
        }
    }

    /// Serves a resource, and the device that owns it, whose thread talks through a channel.
    public func add(
        _ name: ResourceName, _ kind: Kind, _ channel: DeviceChannel, isSimulated: Bool
    ) throws(SystemError) {
        try add(name, kind, channel, isSimulated: isSimulated) { _ in }
    }

    func add(
        _ name: ResourceName, _ kind: Kind, _ channel: DeviceChannel, isSimulated: Bool,
        start: (DeviceChannel) throws(SystemError) -> Void
    ) throws(SystemError) {
        let device = ServedDevice(channel, isSimulated: isSimulated)
        let resource = ServedResource(Resource(name: name, kind: kind), at: resources.count, of: device)
        // Before the thread starts, which reads them.
        catalog.applyPolicy(to: resource)
        releases.apply(to: resource)
        try server.watch(channel.wakeDescriptor) { [unowned self] now in deviceSpoke(device, now) }
        do throws(SystemError) { try start(channel) } catch {
            server.unwatch(channel.wakeDescriptor)
            throw error
        }
        // Last, so that a resource whose thread did not start is not served and can be announced again.
        catalog.add(device)
        catalog.add(resource)
    }

    /// Serves a further resource of the device that owns another one.
    ///
    /// Returns false, and does nothing, where there is no such device, or where it has a resource of that kind.
    @discardableResult
    public func add(_ name: ResourceName, _ kind: Kind, ofDeviceOf other: ResourceName) -> Bool {
        guard index(of: name) == nil, let device = catalog.device(of: other, lacking: kind) else { return false }
        let resource = ServedResource(Resource(name: name, kind: kind), at: resources.count, of: device)
        catalog.applyPolicy(to: resource)
        releases.apply(to: resource)
        _ = resource.core.accept(device.core.state(of: resource.owned))
        catalog.add(resource)
        return true
    }

    /// No longer listens to a device that owns nothing any more, and that has no thread.
    func forget(_ device: ServedDevice) {
        server.unwatch(device.channel.wakeDescriptor)
        catalog.remove(device)
    }

    /// Serves what a derivation makes.
    func add(_ name: ResourceName, _ kind: Kind, _ derivation: Derivation) throws(SystemError) {
        let device = derivation.device
        let resource = ServedResource(Resource(name: name, kind: kind), at: resources.count, of: device)
        catalog.applyPolicy(to: resource)
        try server.watch(device.channel.wakeDescriptor) { [unowned self] now in deviceSpoke(device, now) }
        catalog.add(derivation)
        catalog.add(resource)
    }

    /// Has all resources of a kind, those to come too, do as configured: grants that this alters are announced.
    public func configure(_ kind: Kind, _ policy: ResourcePolicy, now: BootTime) {
        for index in catalog.configure(kind, policy) {
            streams.regrant(index)
            settle(resources[index].device, now)
            announce(index, now)
        }
    }

    /// Has everybody read what a policy allows, from now on; streams that this alters are told, or end.
    public func configure(_ access: AccessPolicy, now: BootTime) {
        if catalog.configure(access) { applyAccess(now) }
    }

    /// Has the devices of some kinds driven anew, each once: where they are has changed.
    ///
    /// Subscriptions stay and are told.
    public func remakeDevices(of kinds: KindSet) {
        for device in devices where kinds.kinds.contains(where: device.core.owns) { device.channel.requestRemake() }
    }

    /// Ends every stream with the word that the broker stops.
    public func shutDown(now: BootTime) {
        for resource in resources { failReads(resource, "the broker stops", now) }
        finishReleases(now, waitingNoLonger: true)
        for subscription in streams.all { streams.end(subscription, "shutdown", to: sink, now) }
    }

    // MARK: what is served

    var resources: [ServedResource] { catalog.resources }

    var devices: [ServedDevice] { catalog.devices }

    var derivations: [Derivation] { catalog.derivations }

    func index(of name: ResourceName) -> Int? { catalog.index(of: name) }

    // MARK: time

    /// The earliest of what lanes, waiting reads, streams and the service manager wait for.
    ///
    /// The loop asks before each wait. What becomes due in a turn is therefore met in that turn or in the next, which follows
    /// at once, and a turn in which nothing is due does not look at every device once more.
    public var deadline: BootTime? {
        var earliest = agenda.next
        for device in devices { earliest = BootTime.earlier(earliest, device.core.deadline) }
        for derivation in derivations { earliest = BootTime.earlier(earliest, derivation.device.core.deadline) }
        dueAt = earliest
        if streams.hasNews { return BootTime(nanoseconds: 0) }
        return BootTime.earlier(earliest, health?.deadline)
    }

    /// Acts on the deadlines that have come.
    public func turnDidEnd(now: BootTime) {
        let isDue = dueAt.map { $0 <= now } ?? false
        if isDue {
            for device in devices { device.core.expire(to: sink, now: now) }
            for derivation in derivations { derivation.device.core.expire(to: sink, now: now) }
        }
        streams.regrantStreams(to: sink, now)
        streams.tellAnnouncements(to: sink, now)
        if isDue { agenda.meet(now) }
        health?.turnDidEnd(devices, resources, clients: server.connectionCount, now: now)
    }

    /// Tells every stream and every watcher of the list that a resource is doing otherwise, and the streams, where the
    /// device's interval has changed, what that makes of their grants.
    func announce(_ index: Int, withGrants: Bool = false, _ now: BootTime) {
        streams.announce(index, withGrants: withGrants, now)
        tellListToAll(now)
    }

    /// Has a look at devices that were missing, since somebody wants to know which resources there are.
    func refreshUnavailable(now: BootTime) { missingDevices.look(among: devices, now) }
}
