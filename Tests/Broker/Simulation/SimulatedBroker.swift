internal import Delivery
internal import Devices
internal import Readings

/// Delivery as the daemon runs it, with modelled sockets and a modelled device in index of the real ones.
///
/// It decides nothing about delivery; everything that it is given passes the auditors, one for each resource.
final class SimulatedBroker: Sink {
    var device: SimulatedDevice
    let audit: DeviceAudit
    private let owner = Device()
    private let resources: [OwnedResource]
    private var streams: [Client: Stream] = [:]
    /// The client that is joining and has not been sent a first reading.
    private var joining: Joining?
    private var readsMade = 0
    /// What the device's thread knows of samples from which nothing follows; nil: something may follow from any.
    private var indifference: Indifference?
    /// Such samples, which the broker was not woken for.
    private var quiet: [DeviceEvent] = []
    private var newestQuiet = BootTime(nanoseconds: 0)
    /// Whether something has woken the broker in this turn.
    private var isAwake = false
    /// Whether the auditors know already what the broker takes.
    private var isOld = false

    /// A client's socket, and the requests for each resource whose messages it carries.
    private struct Stream {
        var socket: SimulatedSocket
        var requests: [Int: Set<Client>] = [:]

        var all: [(index: Int, request: Client)] {
            requests.sorted { $0.key < $1.key }.flatMap { index, requests in requests.sorted().map { (index, $0) } }
        }
    }

    private struct Joining {
        let client: Client
        let grant: Grant
        let isNew: Bool
    }

    init(_ traits: DeviceTraits, trace: ((String) -> Void)?) {
        device = SimulatedDevice(traits)
        resources = traits.kinds.enumerated().map { index, kind in
            let name = ResourceName(kind.row.resource) ?? .accelerometer
            return OwnedResource(Resource(name: name, kind: kind), at: ResourceIndex(index))
        }
        for resource in resources { owner.adopt(resource) }
        audit = DeviceAudit(traits, trace: trace)
    }

    // MARK: events of the device

    func deviceSent(_ events: [DeviceEvent], _ now: BootTime) {
        if let indifference, quiet.count < 64, !events.isEmpty, events.allSatisfy({ $0.isCovered(by: indifference) }) {
            // The auditors know when they came, and see that nothing is due for them.
            for event in events { audit.observe(event, now) }
            quiet += events
            newestQuiet = now
            return
        }
        awake()
        take(events, now)
    }

    /// Something has woken the broker: it first takes what it was not woken for.
    private func awake() {
        isAwake = true
        guard !quiet.isEmpty else { return }
        isOld = true
        take(quiet, newestQuiet)
        isOld = false
        quiet = []
    }

    private func take(_ events: [DeviceEvent], _ now: BootTime) {
        owner.take(device.traits.yieldsRuns ? events.joined : events, to: self, now: now)
    }

    func willTake(_ event: DeviceEvent, of device: Device, now: BootTime) {
        // Its samples are observed as they are taken.
        if case .run = event { return }
        if !isOld { audit.observe(event, now) }
    }

    func willTake(_ run: SampleRun, _ range: Range<Int>, of device: Device, now: BootTime) {
        if isOld { return }
        for index in range { audit.observe(.sample(run[index]), now) }
    }

    func didOpen(_ resource: OwnedResource, now: BootTime) { audit[resource.index.number].opened() }

    func didFail(_ resource: OwnedResource, reason: String, now: BootTime) {}

    func didChangeProfile(of resource: OwnedResource, now: BootTime) {}

    func willChangeState(of resource: OwnedResource, now: BootTime) {}

    func didChangeState(of resource: OwnedResource, now: BootTime) {
        audit[resource.index.number].announced(resource.core.state)
    }

    func didChangeDemand(of device: Device, now: BootTime) {
        self.device.setDemand(owner.demand, now: now.nanoseconds)
    }

    func didChangeInterest(in device: Device) {}

    // MARK: messages to clients

    func send(_ message: LaneMessage, to members: inout [Member], of resource: OwnedResource, now: BootTime) {
        message.send(to: &members) { content, client in
            let isTaken = streams[client.asking(0)]?.socket.stream() ?? false
            let readings = Array(message.readings(in: content))
            if message.isAlone {
                handOutAlone(client, readings[0], resource, isTaken: isTaken, now)
            } else {
                audit[resource.index.number].handOut(client, readings, message.gaps(in: content), isTaken: isTaken, now)
            }
            return isTaken
        }
    }

    func willSend(from resource: OwnedResource, onlyGathering: Bool, now: BootTime) {}

    func didSend(from resource: OwnedResource, onlyGathering: Bool, now: BootTime) {}

    private func handOutAlone(
        _ client: Client, _ reading: Sample, _ resource: OwnedResource, isTaken: Bool, _ now: BootTime
    ) {
        if !didJoin(client, resource, first: reading, now) {
            audit[resource.index.number].willHandOutUnseen(client, reading)
        }
        audit[resource.index.number].handOutAlone(client, reading, isTaken: isTaken)
    }

    func sendMissed(
        _ gaps: [Gap], _ reading: Sample?, of resource: OwnedResource, withSatellites: Bool, to client: Client,
        now: BootTime
    ) { audit[resource.index.number].caughtUp(client, gaps, reading) }

    func answer(_ read: WaitingRead, _ outcome: WaitingRead.Outcome, of resource: OwnedResource, now: BootTime) {
        audit[resource.index.number].answered(read, outcome)
    }

    // MARK: requests of clients

    func join(_ client: Client, _ ask: Ask, _ now: BootTime) {
        awake()
        let index = ask.resource % resources.count
        guard streams[client]?.requests[index]?.contains(client.asking(ask.label)) != true else { return }
        add(client, ask, index, inheriting: nil, now)
    }

    func modify(_ client: Client, _ ask: Ask, _ now: BootTime) {
        awake()
        let index = ask.resource % resources.count
        guard let stream = streams[client] else { return }
        let request = client.asking(ask.label)
        let isThere = stream.requests[index]?.contains(request) == true
        let former = isThere ? resources[index].leave(request, to: self, now: now) : nil
        add(client, ask, index, inheriting: former, now)
    }

    func leave(_ client: Client, _ now: BootTime) {
        awake()
        guard let stream = streams[client] else { return }
        for (index, requests) in stream.requests.sorted(by: { $0.key < $1.key }) {
            _ = resources[index].leave(requests.sorted(), to: self, now: now)
            for request in requests.sorted() { audit[index].leave(request) }
        }
        streams[client] = nil
        settle(now)
    }

    func setReading(_ client: Client, _ isReading: Bool) { streams[client]?.socket.isReading = isReading }

    private func add(_ client: Client, _ ask: Ask, _ index: Int, inheriting former: Member?, _ now: BootTime) {
        let resource = resources[index]
        let grant = Grant(ask.request, within: resource.core.limits)
        audit[index].granted(ask, grant)
        let socket = SimulatedSocket(capacity: client.number % 7 + 2)
        let request = client.asking(ask.label)
        streams[client, default: Stream(socket: socket)].requests[index, default: []].insert(request)
        joining = Joining(client: request, grant: grant, isNew: former == nil)
        resource.join(request, grant, inheriting: former, to: self, now: now)
        _ = didJoin(request, resource, first: nil, now)
        settle(now)
    }

    /// Whether the client is just joining, which the auditor learns with its first reading, if there is one.
    private func didJoin(_ client: Client, _ resource: OwnedResource, first: Sample?, _ now: BootTime) -> Bool {
        guard let joining, joining.client == client else { return false }
        self.joining = nil
        audit[resource.index.number].join(client, joining.grant, first: first, isNew: joining.isNew, now)
        return true
    }

    private func settle(_ now: BootTime) {
        audit.willSettle()
        owner.settle(to: self, now: now)
    }

    /// Reading clients receive what was sent; the broker catches up if it was waiting for that.
    func clientsRead(_ now: BootTime) {
        for client in streams.keys.sorted() where streams[client]?.socket.isReading == true {
            guard streams[client]?.socket.drain() == true, let requests = streams[client]?.all else { continue }
            awake()
            for (index, request) in requests { resources[index].catchUp(request, self, now: now) }
        }
    }

    // MARK: reads

    func read(_ now: BootTime) {
        awake()
        readsMade += 1
        let index = readsMade % resources.count
        // Far from the numbers of streaming clients.
        let token = ConnectionToken(slot: UInt32(1_000_000 + readsMade), generation: 0)
        let read = WaitingRead(connection: token, since: now, deadline: now + device.traits.patience)
        resources[index].wait(read)
        audit[index].waits(read)
        settle(now)
    }

    // MARK: time

    var deadline: BootTime? { indifference == nil ? owner.deadline : owner.demandDeadline }

    func turnDidEnd(_ now: BootTime) {
        if deadline.map({ $0 <= now }) ?? false { awake() }
        if isAwake { owner.expire(to: self, now: now) }
    }

    func endTurn() {
        if isAwake { indifference = owner.indifference { _ in nil } }
        isAwake = false
        for resource in resources {
            audit[resource.index.number].endTurn(resource.core, latency: owner.demand?.latencyNanoseconds ?? 0)
        }
        audit.endTurn(owner.demand, deadline: deadline)
    }
}

extension DeviceEvent {
    /// Whether it is a sample from which nothing follows.
    fileprivate func isCovered(by indifference: Indifference) -> Bool {
        if case .sample(let sample) = self { indifference.covers(sample.measurement) } else { false }
    }
}
