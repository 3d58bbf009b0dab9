internal import Delivery
internal import Devices
internal import Readings

/// Drives the core as the daemon does: the same calls in the same order, with modelled sockets and a modelled device.
///
/// It decides nothing about delivery; what it hands out goes past the auditor.
final class SimulatedBroker {
    private let owner = Device()
    private let owned: OwnedResource
    var device: SimulatedDevice
    private(set) var sockets: [Client: SimulatedSocket] = [:]
    private(set) var grants: [Client: Grant] = [:]
    private var reads: [Int64] = []
    let auditor: Auditor

    init(_ traits: DeviceTraits, _ auditor: Auditor) {
        let name: ResourceName = traits.kind == .location ? .location : .accelerometer
        owned = OwnedResource(Resource(name: name, kind: traits.kind), at: 0)
        owner.adopt(owned)
        device = SimulatedDevice(traits)
        self.auditor = auditor
    }

    var core: Resource {
        _read { yield owned.core }
        _modify { yield &owned.core }
    }

    // MARK: what the device says

    func deviceSpoke(_ events: [DeviceEvent], _ now: BootTime) {
        var unsent = 0
        for event in events {
            auditor.hear(event, now)
            switch event {
            case .sample(let sample):
                owner.accept(sample, for: owned, now: now)
                serveReads(sample, now)
                unsent += 1
                if unsent == Grant.readingsPerReply {
                    fanOut(now)
                    unsent = 0
                } else if core.isGathering {
                    fanOut(now, onlyGathering: true)
                }
            case .gap(let gap), .missing(let gap, _): core.accept(gap)
            case .profile(let profile):
                guard owner.accept(profile), core.accept(profile) else { break }
                fanOut(now)
                settle(now)
            case .opened:
                fanOut(now)
                auditor.opened()
                owner.opened()
            case .replaced:
                fanOut(now)
                core.deviceReplaced()
            case .state(let state):
                owner.reported = state
                if core.accept(state) { fanOut(now) }
            case .failed: endReads(now) { _ in true }
            }
        }
        fanOut(now)
    }

    private func settle(_ now: BootTime) {
        guard owner.settle(now: now) else { return }
        device.setDemand(owner.demand, now: now.nanoseconds)
    }

    // MARK: sample to client

    private func fanOut(_ now: BootTime, onlyGathering: Bool = false) {
        core.sendOutgoing(onlyGathering: onlyGathering) { lane in
            for index in lane.members.indices { send(lane.readings, lane.gaps, &lane.members[index], now) }
        }
    }

    private func send(_ readings: [Sample], _ gaps: [Gap], _ member: inout Member, _ now: BootTime) {
        let wanted = member.firstWanted(of: readings).map { readings[$0...] } ?? []
        let concerning = gaps.filter { member.concerns($0) }
        guard !wanted.isEmpty || !concerning.isEmpty else { return }
        let isTaken = sockets[member.client]?.stream() ?? false
        auditor.handOut(member.client, Array(wanted), concerning, isTaken: isTaken, now)
        if isTaken {
            if let portion = Portion(wanted) { member.didDeliver(portion) }
        } else {
            member.didMiss(wanted)
            for gap in concerning { member.didNotLearn(of: gap) }
        }
    }

    // MARK: what the clients want

    func join(_ client: Client, _ ask: Ask, _ now: BootTime) {
        guard sockets[client] == nil else { return }
        sockets[client] = SimulatedSocket(capacity: client.number % 7 + 2)
        join(client, grant(ask), inheriting: nil, now)
    }

    func modify(_ client: Client, _ ask: Ask, _ now: BootTime) {
        guard sockets[client] != nil else { return }
        let grant = grant(ask)
        join(client, grant, inheriting: takeOut(client, now), now)
    }

    func leave(_ client: Client, _ now: BootTime) {
        guard sockets[client] != nil else { return }
        _ = takeOut(client, now)
        auditor.leave(client)
        sockets[client] = nil
        grants[client] = nil
        settle(now)
    }

    func setReading(_ client: Client, _ isReading: Bool) { sockets[client]?.isReading = isReading }

    private func grant(_ ask: Ask) -> Grant {
        let grant = Grant(ask.request, within: core.limits)
        auditor.granted(ask, grant)
        return grant
    }

    private func join(_ client: Client, _ grant: Grant, inheriting former: Member?, _ now: BootTime) {
        grants[client] = grant
        let first = core.join(client, grant, now: now, inheriting: former)
        auditor.join(client, grant, first: first, isNew: former == nil, now)
        if let first { sendAlone(first, client) }
        settle(now)
    }

    private func sendAlone(_ reading: Sample, _ client: Client) {
        guard let place = core.place(of: client) else { return }
        let isTaken = sockets[client]?.stream() ?? false
        auditor.handOutAlone(client, reading, isTaken: isTaken)
        if isTaken {
            core.lanes[place.lane].members[place.member].didDeliver(alone: reading)
        } else {
            core.lanes[place.lane].members[place.member].didMiss([reading])
        }
    }

    private func takeOut(_ client: Client, _ now: BootTime) -> Member? {
        guard let place = core.place(of: client) else { return nil }
        // What has been gathered for it; the batch of the others goes on.
        let lane = core.lanes[place.lane]
        send(lane.readings, lane.gaps, &core.lanes[place.lane].members[place.member], now)
        return core.leave(client)
    }

    /// Clients that read find what was sent; where the broker waited for that, it catches up.
    func clientsRead(_ now: BootTime) {
        for client in sockets.keys.sorted() where sockets[client]?.isReading == true {
            guard sockets[client]?.drain() == true, let place = core.place(of: client) else { continue }
            let newest = core.lanes[place.lane].newest
            let (gaps, reading) = core.lanes[place.lane].members[place.member].catchUp(with: newest)
            auditor.caughtUp(client, gaps, reading)
        }
    }

    // MARK: reads

    func read(_ now: BootTime) {
        reads.append(now.nanoseconds)
        core.countWaitingRead(1)
        settle(now)
    }

    private func serveReads(_ sample: Sample, _ now: BootTime) {
        endReads(now) { sample.timestamp.nanoseconds >= $0 }
    }

    private func endReads(_ now: BootTime, _ isOver: (Int64) -> Bool) {
        let before = reads.count
        reads.removeAll(where: isOver)
        guard reads.count != before else { return }
        core.countWaitingRead(reads.count - before)
        settle(now)
    }

    // MARK: time

    var deadline: BootTime? { BootTime.earlier(core.deadline, owner.settleDeadline) }

    /// What is asked of the device.
    var demand: Demand? { owner.demand }

    func turnDidEnd(_ now: BootTime) {
        if let deadline, now >= deadline {
            core.expire(now: now)
            fanOut(now)
            for (client, reading) in core.takeUnseen(now: now) {
                auditor.willHandOutUnseen(client, reading)
                sendAlone(reading, client)
            }
            settle(now)
        }
    }
}
