public import Delivery
public import Devices
public import Platform
public import Readings
internal import Varlink

/// Everything the daemon serves: the resources, and the clients' subscriptions to them.
///
/// A reading's way through here: a device's thread rings, `deviceSpoke` takes what it said and hands it, event by event, to
/// the resource's core, which decides; `fanOut` encodes what a lane has to say once and sends it to each member.
/// Confined to the loop's thread.
public final class Broker: Scheduled {
    let server: Server
    let journal: Journal
    private(set) var resources: [ServedResource] = []
    /// Streams, by their connection's token.
    var subscriptions: [UInt64: Subscription] = [:]
    /// Calls of `ListResources` that go on, by their connection's token; true: it is owed a reply.
    var listWatchers: [UInt64: Bool] = [:]
    let startedAt: BootTime
    /// When missing devices were last looked for because somebody wanted to know.
    var lastRefresh: BootTime?
    /// What an administrator has given up.
    var releases = Releases()
    /// Calls of `Release` that wait for devices to be let go.
    var pendingReleases: [PendingRelease] = []
    /// Who may read what; nobody anything until it is configured.
    private(set) var access = AccessPolicy.notLoaded
    /// What is configured, by kind of resource.
    private(set) var policies: [ResourceKind: ResourcePolicy] = [:]
    /// Whether a resource was refused because there are too many: said once.
    var hasRefusedArrival = false

    /// What is written down in case this process dies; nil: nothing is.
    var checkpoint: Checkpoint?

    private var events: [DeviceEvent] = []
    private var payload = LanePayload()
    private var nextCheck: BootTime?
    /// When to look at the devices' threads next; nil while nobody asks for any.
    var nextHangCheck: BootTime?
    /// How long a device's thread may be in its driver.
    let hangNanoseconds: Int64
    private let health: Health?

    /// A broker without resources, on a server's loop.
    public init(
        server: Server, journal: Journal, health: Health?, startedAt: BootTime,
        hangNanoseconds: Int64 = Limits.hangNanoseconds
    ) {
        self.hangNanoseconds = hangNanoseconds
        self.server = server
        self.journal = journal
        self.health = health
        self.startedAt = startedAt
    }

    /// Serves a resource whose device's thread talks through a channel.
    public func add(
        _ name: ResourceName, _ kind: ResourceKind, _ channel: DeviceChannel, isSimulated: Bool
    ) throws(SystemError) {
        try add(name, kind, channel, isSimulated: isSimulated, derivation: nil)
    }

    func add(
        _ name: ResourceName, _ kind: ResourceKind, _ channel: DeviceChannel, isSimulated: Bool,
        derivation: Derivation?
    ) throws(SystemError) {
        let index = resources.count
        let core = Resource(name: name, kind: kind)
        resources.append(ServedResource(core, channel, isSimulated: isSimulated, derivation: derivation))
        try server.watch(channel.wakeDescriptor) { [unowned self] now in deviceSpoke(index, now) }
        if let policy = policies[kind] { resources[index].adopt(policy) }
        applyReleases(to: resources[index])
    }

    /// Has all resources of a kind, those to come too, do as configured: grants that this alters are announced.
    public func configure(_ kind: ResourceKind, _ policy: ResourcePolicy, now: BootTime) {
        policies[kind] = policy
        for index in resources.indices where resources[index].core.kind == kind {
            guard resources[index].adopt(policy) else { continue }
            regrant(index, now)
            settle(resources[index], now)
            announce(index, now)
        }
    }

    /// Has everybody read what a policy allows, from now on; streams that this alters are told, or end.
    public func configure(_ access: AccessPolicy, now: BootTime) {
        guard self.access != access else { return }
        self.access = access
        applyAccess(now)
    }

    /// Has the devices of a kind driven anew: where they are has changed.
    ///
    /// Subscriptions stay and are told.
    public func remakeDevices(of kind: ResourceKind) {
        for resource in resources where resource.core.kind == kind { resource.channel.requestRemake() }
    }

    /// Ends every stream with the word that the broker stops.
    public func shutDown(now: BootTime) {
        for resource in resources { failReads(resource, "the broker stops", now) }
        finishReleases(now, waitingNoLonger: true)
        for subscription in subscriptions.values { end(subscription, "shutdown", now) }
    }

    func index(of name: ResourceName) -> Int? { resources.firstIndex { $0.core.name == name } }

    // MARK: what devices say

    func deviceSpoke(_ index: Int, _ now: BootTime) {
        let resource = resources[index]
        resource.channel.take(into: &events)
        tellReturn(index, now)
        // Clients are not heard meanwhile: only another profile gives them other lanes.
        var isGathering = resource.core.isGathering
        var unsent = 0
        for event in events {
            switch event {
            case .sample(let sample):
                resource.core.accept(sample, now: now)
                serveReads(resource, sample, now)
                unsent += 1
                if unsent == Grant.readingsPerReply {
                    fanOut(resource, now)
                    unsent = 0
                } else if isGathering {
                    // Batches that end within one handover go out one by one, each no longer than was granted.
                    fanOut(resource, now, onlyGathering: true)
                }
            case .gap(let gap): resource.core.accept(gap)
            case .profile(let profile):
                accept(profile, index, now)
                isGathering = resource.core.isGathering
            case .opened:
                fanOut(resource, now)
                resource.core.deviceOpened()
                for derivation in derivations(from: index) { derivation.restart() }
            case .replaced:
                fanOut(resource, now)
                resource.core.deviceReplaced()
            case .state(let state):
                resource.reported = state
                accept(state, index, now)
            case .failed(let reason):
                failReads(resource, reason, now)
                for derivation in derivations(from: index) { derivation.channel.send(.failed(reason: reason)) }
            }
        }
        fanOut(resource, now)
        if let newest = resource.core.newest {
            server.ledger?.write(newest.timestamp.nanoseconds, at: LedgerPlaces.resource(index))
        }
        if !pendingReleases.isEmpty { finishReleases(now) }
    }

    private func accept(_ profile: DeviceProfile, _ index: Int, _ now: BootTime) {
        let resource = resources[index]
        let former = resource.core.deviceIntervalNanoseconds
        guard resource.core.accept(profile) else { return }
        fanOut(resource, now)
        regrant(index, now)
        regrantDerivations(from: index, now)
        settle(resource, now)
        announce(index, withGrants: resource.core.deviceIntervalNanoseconds != former, now)
    }

    func accept(_ state: ResourceState, _ index: Int, _ now: BootTime) {
        let resource = resources[index]
        guard resource.core.accept(state) else { return }
        fanOut(resource, now)
        for derivation in derivations(from: index) { derivation.follow(state) }
        if resource.derivation != nil {
            // Its source has been spoken of.
        } else if case .unavailable(let reason) = state {
            resource.isMissed = true
            server.log.write(
                .device(resource.core.name), .warning, "\(resource.core.name) is unavailable: \(reason)",
                .resourceUnavailable, [.resource: "\(resource.core.name)", .reason: reason], now: now)
        } else if resource.isMissed, state == .active || state == .idle {
            resource.isMissed = false
            server.log.write(
                .device(resource.core.name), .notice, "\(resource.core.name) is available again", .resourceAvailable,
                [.resource: "\(resource.core.name)"], now: now)
        }
        announce(index, now)
    }

    /// Tells the device's thread what its clients need now, if that has changed.
    func settle(_ resource: ServedResource, _ now: BootTime) {
        guard resource.core.settle(now: now) else { return }
        if let derivation = resource.derivation { return followDemand(derivation, now) }
        resource.channel.setDemand(resource.core.demand)
        if resource.core.demand != nil { scheduleHangCheck(now) }
    }

    // MARK: sample to client

    /// Sends each lane's outgoing reply to its members: encoded once, handed to each socket without waiting.
    func fanOut(_ resource: ServedResource, _ now: BootTime, onlyGathering: Bool = false) {
        guard resource.core.hasOutgoing(onlyGathering: onlyGathering) else { return }
        // In a variable of this function's own nothing is counted or checked anew for each member.
        var payload = LanePayload()
        swap(&payload, &self.payload)
        let clients = server.table
        let name = resource.core.name
        resource.core.sendOutgoing(onlyGathering: onlyGathering) { lane in
            payload.begin(lane, of: name)
            for index in lane.members.indices { send(&payload, to: &lane.members[index], among: clients, now) }
            payload.end()
        }
        swap(&payload, &self.payload)
    }

    private func send(
        _ payload: inout LanePayload, to member: inout Member, among clients: ConnectionTable, _ now: BootTime
    ) {
        if let derivation = derivation(of: member) { return derivation.take(payload.readings, as: &member) }
        let content = payload.content(for: member)
        guard content != .nothing else { return }
        let isSent = clients.withConnection(member.client) { payload.send(content, on: $0, now: now) }
        guard let isSent else { return }
        if isSent {
            if content.hasReadings, let portion = payload.portion { member.didDeliver(portion) }
        } else {
            if content.hasReadings { member.didMiss(payload.readings) }
            for gap in payload.gaps where member.concerns(gap) { member.didNotLearn(of: gap) }
        }
    }

    // MARK: time

    /// The earliest of what lanes, waiting reads, streams and the service manager wait for.
    public var deadline: BootTime? {
        var earliest = BootTime.earlier(BootTime.earlier(nextCheck, health?.deadline), releases.deadline)
        earliest = BootTime.earlier(BootTime.earlier(earliest, nextHangCheck), checkpoint?.due)
        for release in pendingReleases { earliest = BootTime.earlier(earliest, release.deadline) }
        for resource in resources {
            earliest = BootTime.earlier(earliest, resource.core.deadline)
            for read in resource.reads { earliest = BootTime.earlier(earliest, read.deadline) }
        }
        return earliest
    }

    /// Acts on the deadlines that have come.
    public func turnDidEnd(now: BootTime) {
        for resource in resources {
            if let deadline = resource.core.deadline, now >= deadline {
                resource.core.expire(now: now)
                fanOut(resource, now)
                sendUnseen(resource, now)
                settle(resource, now)
            }
            expireReads(resource, now)
        }
        expireReleases(now)
        checkHangs(now)
        if let nextCheck, now >= nextCheck { checkStreams(now) }
        writeCheckpoint(now: now)
        health?.turnDidEnd(resources, clients: server.connectionCount, now: now)
    }

    /// Sees to it that streams are looked at by then, for signs of life that are due.
    func scheduleCheck(at instant: BootTime) { nextCheck = BootTime.earlier(nextCheck, instant) }

    private func checkStreams(_ now: BootTime) {
        nextCheck = nil
        for subscription in subscriptions.values {
            let connection = subscription.connection
            guard now - connection.lastSent >= Limits.heartbeatNanoseconds else {
                scheduleCheck(at: connection.lastSent + Limits.heartbeatNanoseconds)
                continue
            }
            // One whose socket is full has enough to read.
            if connection.blockedSince == nil { sendHeartbeat(connection, now) }
            scheduleCheck(at: now + Limits.heartbeatNanoseconds)
        }
    }

    private func sendHeartbeat(_ connection: Connection, _ now: BootTime) {
        var writer = JSONWriter(capacity: 32)
        writer.reply(continues: true)
        connection.reply(writer.bytes, now: now)
    }
}
