public import Admission
internal import Delivery
public import Devices
public import Platform
public import Readings
internal import Varlink

/// Everything that the daemon serves, assembled from parts that each have a state of their own.
///
/// The way of a reading through here: in a turn of the loop, `DeviceService` takes a device's events and hands them to
/// `Delivery`, which decides; `BrokerSink` encodes a lane's message once and sends it to each member. Confined to whoever
/// holds the loop's baton.
public final class Broker: Scheduled {
    let context: ServiceContext
    let streams: Streams
    let reads: ReadService
    let list: ListService
    let releases: ReleaseService
    let devices: DeviceService
    let derivations: Derivations
    /// What makes the readings of sensors true, for what is derived from them.
    let calibrations: Calibrations
    /// Where delivery sends its messages and reports.
    let sink: BrokerSink
    let startedAt: BootTime

    let arrivals: Arrivals
    let feeds: Feeds
    private let health: Health?
    private let agenda = Agenda()
    /// When the first device or alarm of the agenda is due, as the loop learned before its last wait; nil: none.
    private var dueAt: BootTime? = BootTime(nanoseconds: 0)
    /// From when on a turn that takes place anyway may do what is not due yet.
    private var mayActFrom: BootTime? = BootTime(nanoseconds: 0)

    /// A broker without resources, on a server's loop.
    public init(
        server: Server, journal: Journal, health: Health?, startedAt: BootTime,
        hangNanoseconds: Int64 = Limits.hangNanoseconds
    ) {
        self.health = health
        self.startedAt = startedAt
        context = ServiceContext(server, journal)
        streams = Streams(context)
        reads = ReadService(context)
        list = ListService(context)
        releases = ReleaseService(context)
        calibrations = Calibrations(context)
        derivations = Derivations(context.catalog, calibrations)
        devices = DeviceService(context, derivations, releases, hangNanoseconds: hangNanoseconds)
        sink = BrokerSink(context, streams, derivations, devices, list)
        arrivals = Arrivals(context, devices, list, sink)
        feeds = Feeds(context, arrivals, devices, sink)
        arrivals.didPostpone = { [unowned self] name, now in feeds.yield(name, now) }
        calibrations.didChange = { [unowned self] resource, now in derivations.calibrate(resource, to: sink, now) }
        setAlarms()
    }

    var server: Server { context.server }
    var catalog: Catalog { context.catalog }

    // MARK: what is served

    /// Serves a resource and the device that owns it, whose thread uses the channel.
    public func add(
        _ name: ResourceName, _ kind: Kind, _ channel: DeviceChannel, isSimulated: Bool
    ) throws(SystemError) {
        try arrivals.add(name, Quantity(kind), ServedDevice(channel, isSimulated: isSimulated))
    }

    /// Serves a further resource of the device that owns another one.
    ///
    /// Returns false, and does nothing, if there is no such device or it has a resource of that kind already.
    @discardableResult
    public func add(_ name: ResourceName, _ kind: Kind, ofDeviceOf other: ResourceName) -> Bool {
        arrivals.add(name, Quantity(kind), ofDeviceOf: other)
    }

    /// Serves what can be derived from the resources that are served now, as far as no device measures it; what is announced
    /// later is looked at then.
    public func addDerived(now: BootTime) throws(SystemError) { try arrivals.addDerived(now) }

    /// Serves announced resources from now on.
    public func serve(_ arrivals: ResourceArrivals) throws(SystemError) { try self.arrivals.serve(arrivals) }

    /// Serves at once what has been announced so far, so that the first client finds it.
    public func take(_ arrivals: ResourceArrivals, now: BootTime) { self.arrivals.take(arrivals, now) }

    /// The channels of all devices' threads, including those that arrived late.
    public var channels: [DeviceChannel] { catalog.devices.filter(\.hasThread).map(\.channel) }

    // MARK: what is configured

    /// Applies a policy to all resources of a kind, present and future; grants that it changes are announced.
    public func configure(_ kind: Kind, _ policy: ResourcePolicy, now: BootTime) {
        for index in catalog.configure(kind, policy) {
            // As if its device turned out to offer other intervals.
            sink.didChangeProfile(of: catalog[index], now: now)
            catalog.device(of: index).core.settle(to: sink, now: now)
        }
    }

    /// Applies an access policy from now on; streams that it changes are informed, or end.
    public func configure(_ access: AccessPolicy, now: BootTime) {
        guard catalog.configure(access) else { return }
        streams.endForbidden(to: sink, now)
        reads.endForbidden(to: sink, now)
        for index in catalog.indices { streams.changes.regrant(index) }
        devices.settleAll(to: sink, now)
        list.change(now)
    }

    /// Serves what programs may provide as well, from now on; the devices of the host have been added.
    public func expectFeeds(now: BootTime) { feeds.begin(now) }

    /// Applies a policy for programs that provide resources from now on.
    public func configure(_ feeds: FeedPolicy, now: BootTime) { self.feeds.configure(feeds, now) }

    /// Uses the calibrations that were stored, and stores those to come; returns the files that cannot be used.
    public func keepCalibrations(
        in store: @escaping CalibrationStore, _ files: [CalibrationFile]
    ) -> [(file: String, fault: CalibrationFault)] {
        calibrations.begin(in: store, files)
    }

    /// Stores what was learnt of sensors, before this process ends.
    public func storeLearnt(now: BootTime) { derivations.storeLearnt(now: now, isLast: true) }

    /// Lets every client read everything, for hosts on which access is decided elsewhere.
    public func allowEveryone(now: BootTime) { configure(.everyone, now: now) }

    /// Makes the drivers of the host's devices of some kinds again, each once: the address of the devices has changed.
    ///
    /// Subscriptions stay and are informed.
    public func remakeDevices(of kinds: KindSet) {
        for device in catalog.devices
        where device.hasThread && device.core.resources.contains(where: { kinds.contains($0.kind) }) {
            device.channel.request(.remake)
        }
    }

    /// Memory is short: closes devices that are open for nobody at once; those in use stay open.
    public func memoryIsShort(now: BootTime) { devices.memoryIsShort() }

    // MARK: the end, and handing over to another process

    /// Ends every stream with the last message that the broker stops.
    public func shutDown(now: BootTime) {
        for resource in catalog.resources { resource.failReads("the broker stops", to: sink, now: now) }
        for subscription in streams.all { streams.end(subscription, "shutdown", to: sink, now) }
    }

    /// Records from now on what a successor would need if this process died.
    public func begin(_ store: CheckpointStore, now: BootTime) {
        Succession(of: self).begin(store, now: now)
    }

    /// Writes what a successor must know of the clients: a text, and the descriptors of their sockets that are not
    /// stored yet, which still belong to their connections.
    ///
    /// Events of devices and readings gathered in lanes are sent first. If there are more clients than fit, the others
    /// learn that the broker stops: first those that only make calls, then those that stream.
    public func handOver(atMost count: Int, now: BootTime) -> (generation: Int64, text: [UInt8], sockets: [Int32]) {
        Succession(of: self).handOver(atMost: count, now: now)
    }

    /// The size limit of a handover's text.
    public static let handoverBytes = Handover.bytes

    /// Serves the clients of a handover's text from now on, each on the socket that it had; owns those sockets.
    ///
    /// If there are several texts, the latest counts. A client whose socket is gone is dropped. A client of which
    /// nothing is known, or nothing that still holds, is disconnected: it sees the end of its connection, and can
    /// connect again. If a text cannot be read, that happens to all of its clients.
    public func takeOver(
        _ texts: [[UInt8]], ledger: [Int64]?, _ sockets: [Int32], calls: BrokerCalls, administration: AdminCalls,
        now: BootTime
    ) {
        TakeOver(of: self).serve(texts, ledger: ledger, sockets, calls: calls, administration: administration, now: now)
    }

    // MARK: time

    private func setAlarms() {
        let (streams, list, releases, devices) = (streams, list, releases, devices)
        let (sink, alignments, checkpoint) = (sink, streams.alignments, context.checkpoint)
        agenda.add("feeds", at: { [feeds] in feeds.deadline }) { [feeds] in feeds.expire($0) }
        agenda.add("alignments", at: { alignments.deadline }, alignments.expire)
        agenda.add("releases", at: { releases.devices.deadline }) { releases.expire(to: sink, $0) }
        agenda.add("hanging threads", at: { devices.hangDeadline }, slackNanoseconds: devices.hangSlackNanoseconds) {
            devices.checkHangs(to: sink, $0)
        }
        agenda.add("learnt biases", at: { [derivations] in derivations.storesAt }) { [derivations] in
            derivations.storeLearnt(now: $0)
        }
        agenda.add(
            "silent streams", at: { streams.silenceDeadline }, slackNanoseconds: Limits.heartbeatSlackNanoseconds,
            streams.sendHeartbeats)
        agenda.add("lists", at: { list.deadline }, mayGoOn: true, list.sendAll)
        agenda.add("checkpoint", at: { checkpoint.due }) { [unowned self] in
            Succession(of: self).writeCheckpoint($0)
        }
    }

    /// The earliest deadline of the lanes, waiting reads, streams and the service manager.
    ///
    /// The loop asks before each wait. What becomes due in a turn is therefore met in that turn or in the next, which
    /// follows at once, and a turn in which nothing is due does not look at every device again.
    public var deadline: BootTime? {
        let alarms = agenda.times
        let earliest = BootTime.earlier(alarms.next, devices.deadline)
        (dueAt, mayActFrom) = (earliest, alarms.from)
        if streams.hasPending || devices.hasPendingDerived || feeds.hasPending { return BootTime(nanoseconds: 0) }
        return BootTime.earlier(earliest, health?.deadline)
    }

    /// Takes what devices have sent without waking the loop.
    public func turnWillBegin(now: BootTime) { devices.takeQuiet(to: sink, now) }

    /// Handles the deadlines that have come.
    public func turnDidEnd(now: BootTime) {
        let isDue = dueAt.map { $0 <= now } ?? false
        if isDue { devices.expire(to: sink, now) }
        feeds.takeEvents(now)
        devices.takeDerived(to: sink, now)
        streams.alignments.conclude(now)
        streams.changes.regrantStreams(to: sink, now)
        streams.updates.sendAnnouncements(now)
        if let mayActFrom, mayActFrom <= now { agenda.meet(now) }
        sink.sendBundles(now)
        devices.updateIndifference()
        health?.turnDidEnd(devices.busy.counts, clients: server.clients.count, now: now)
    }
}
