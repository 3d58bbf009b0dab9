internal import Delivery
internal import Devices
internal import Readings

/// Watches all that goes in and out of the core, and checks it against the device's truth and the clients' accounts.
///
/// It knows nothing of how the core decides: only what samples came when, what was granted, and what was handed out.
final class Auditor {
    private(set) var violation: Violation?
    private(set) var checks = 0
    private(set) var readings = 0
    var truth = Truth()
    var clients: [Client: ClientAudit] = [:]
    private var arbitration: ArbitrationAudit
    private(set) var turn = 0
    private(set) var now: Int64 = 0
    private(set) var latency: Int64 = 0
    let kind: Kind
    /// From a measurement to its arrival.
    let usualDelay: Int64
    /// How late the broker's timer may go off.
    let timerLateness: Int64
    /// The host has slept, and who has got readings since in this turn.
    private var caughtUpAfterSleep: Set<Client>?
    /// Who is still to be told that the device was lost, and how often: it may be lost again in the turn of its return.
    private var owedLosses: [Client: Int] = [:]
    private var isLost = false
    private var reads = 0
    /// Readings of this turn whose clients were in their rhythm.
    var beats: [Beat] = []
    private var profile: DeviceProfile?
    private var lateDeadlines = 0

    /// Takes a line for whatever is heard and handed out.
    private let trace: ((String) -> Void)?

    init(_ device: DeviceTraits, trace: ((String) -> Void)?) {
        kind = device.kind
        usualDelay = device.delay
        timerLateness = device.timerLateness
        arbitration = ArbitrationAudit(kind, timerLateness: timerLateness)
        self.trace = trace
    }

    private func tell(_ words: @autoclosure () -> String) { trace?("\(now) ns: \(words())") }

    func beginTurn(_ now: BootTime, afterSleep: Bool = false) {
        turn += 1
        beats = []
        caughtUpAfterSleep = afterSleep ? [] : nil
        self.now = now.nanoseconds
        if afterSleep { arbitration.sleep(until: self.now) }
    }

    func expect(_ holds: Bool, _ invariant: Invariant, _ detail: @autoclosure () -> String) {
        checks += 1
        guard !holds, violation == nil else { return }
        violation = Violation(invariant: invariant, at: now, detail: detail())
    }

    func expectNone(_ fault: String?, _ invariant: Invariant, _ client: Client) {
        expect(fault == nil, invariant, "client \(client): \(fault ?? "")")
    }

    // MARK: what the device says

    func hear(_ event: DeviceEvent, _ now: BootTime) {
        tell(event.words)
        switch event {
        case .sample(let sample):
            truth.add(sample, at: now.nanoseconds, turn: turn)
            let index = truth.arrivals.count - 1
            for client in clients.values { client.passOver(truth.arrivals[index], at: index, period: truth.period) }
        case .gap(let gap), .missing(let gap, _):
            truth.add(gap)
            for client in clients.values { client.deviceLost(gap, truth.period) }
        case .profile(let profile):
            self.profile = profile
            let former = truth.period
            truth.setPeriod(profile.intervalNanoseconds, at: now.nanoseconds)
            if truth.period != former { for client in clients.values { client.periodChanges(from: former, truth) } }
        case .opened: break
        case .state(.idle) where clients.isEmpty:
            truth.close()
            owedLosses = [:]
        case .state(.unavailable), .state(.released), .state(.idle): lose()
        default: break
        }
    }

    /// After what was gathered has gone out.
    func opened() {
        truth.open()
        for client in clients.values { client.deviceOpened() }
    }

    private func lose() {
        if truth.isServing { for client in clients.keys { owedLosses[client, default: 0] += 1 } }
        truth.close()
    }

    // MARK: what clients want

    func granted(_ ask: Ask, _ grant: Grant) {
        let least = profile?.offered.shortestNanoseconds ?? (kind == .location ? 50_000_000 : 1_000_000)
        let day: Int64 = 86_400_000_000_000
        let interval = ask.interval == 0 ? 0 : min(max(ask.interval, least), day)
        expect(grant.intervalNanoseconds == interval, .grant, "\(grant) for \(ask)")
        expect(grant.filter == ask.filter && grant.minimumChange == ask.minimumChange, .grant, "\(grant) for \(ask)")
        let most = min(day, 2_048 * max(interval, least))
        expect(grant.batchNanoseconds == min(ask.batch, most), .grant, "\(grant) for \(ask)")
    }

    func join(_ client: Client, _ grant: Grant, first: Sample?, isNew: Bool, _ now: BootTime) {
        tell("\(client) is granted \(grant)")
        let newest = truth.isServing ? truth.arrivals.last : nil
        let former = clients[client]
        let isFresh = newest.map { now.nanoseconds - $0.stamp <= grant.intervalNanoseconds } ?? false
        let isDue = former.map { Self.isDue(newest, to: $0, grant) } ?? true
        if first != nil {
            expect(
                first == newest?.sample && isFresh && isDue && hasMoved(newest, former, grant, sure: false),
                .firstReading,
                "\(client) got \(String(describing: first)) at once for \(grant)")
        } else if grant.intervalNanoseconds > 0, isFresh, isDue, hasMoved(newest, former, grant, sure: true) {
            expect(false, .firstReading, "\(client) did not get \(String(describing: newest)) at once for \(grant)")
        }
        if let former { former.change(grant, truth, now: now.nanoseconds) }
        if isNew { clients[client] = ClientAudit(grant, truth, now: now.nanoseconds) }
    }

    /// A stream that is changed has waited for its new interval since its last reading; and a raw sample is no mean.
    private static func isDue(_ newest: Truth.Arrival?, to former: ClientAudit, _ grant: Grant) -> Bool {
        guard let newest, former.hasNotSeen(newest), grant.filter == .newest else { return false }
        return former.lastStamp.map { newest.stamp - $0 >= grant.intervalNanoseconds } ?? true
    }

    /// Whether a sample is by the minimum change away from the last reading; at its edge that is not sure.
    private func hasMoved(_ newest: Truth.Arrival?, _ former: ClientAudit?, _ grant: Grant, sure: Bool) -> Bool {
        guard let newest, let last = former?.lastHanded, let change = grant.minimumChange else { return true }
        let tolerance = Distance.tolerance(of: change)
        return Distance.between(last, newest.sample) >= change + (sure ? tolerance : -tolerance)
    }

    func leave(_ client: Client) {
        tell("\(client) leaves")
        clients[client] = nil
        owedLosses[client] = nil
    }

    // MARK: what is handed out

    func handOutAlone(_ client: Client, _ reading: Sample, isTaken: Bool) {
        readings += 1
        tell("\(client) gets at once \(reading.words)\(isTaken ? "" : ", but is full")")
        guard let audit = clients[client] else { return }
        checkTime(reading, client, audit)
        audit.takeAlone(reading, isTaken: isTaken)
    }

    func willHandOutUnseen(_ token: Client, _ reading: Sample) {
        let isNewest = reading == truth.arrivals.last?.sample
        let isUnseen = clients[token]?.hasNotSeen(truth.arrivals.last) ?? false
        expect(isNewest && isUnseen, .trailing, "client \(token) is sent \(reading), which it has or will not miss")
        expect(
            now - (truth.arrivals.last?.at ?? now) >= 2 * truth.period, .trailing,
            "client \(token) is sent \(reading), but the source is not silent")
    }

    func handOut(_ token: Client, _ readings: [Sample], _ gaps: [Gap], isTaken: Bool, _ now: BootTime) {
        guard let client = clients[token] else {
            return expect(false, .lanes, "\(token) has left and gets \(readings)")
        }
        tell(
            "\(token) gets \((gaps.map(\.words) + readings.map(\.words)).joined(separator: ", "))\(isTaken ? "" : ", but is full")"
        )
        for gap in gaps { hear(gap, token, client) }
        if readings.isEmpty { return }
        self.readings += readings.count
        if caughtUpAfterSleep != nil, client.grant.batchNanoseconds == 0 {
            let isOne = caughtUpAfterSleep?.insert(token).inserted == true && readings.count == 1
            expect(isOne, .oneCatchUp, "client \(token) gets \(readings.count) readings and more after a sleep")
        }
        let first = client.nextIndex
        for reading in readings { check(reading, token, client, isTaken: isTaken) }
        checkBatch(readings, from: first, token, client)
    }

    private func hear(_ gap: Gap, _ token: Client, _ client: ClientAudit) {
        if gap.cause.isOutage {
            let owed = owedLosses[token] ?? 0
            expect(owed > 0, .lossTold, "\(token) is told \(gap), which is not its loss")
            owedLosses[token] = owed > 1 ? owed - 1 : nil
        }
        expect(gap.from <= gap.until, .gapTold, "\(gap)")
        if let owed = client.owedGaps.first, gap.cause == .deviceOverflow {
            expect(owed == gap, .gapTold, "\(token) takes all, is told \(gap), lost \(owed)")
        }
        client.hears(gap)
    }

    func caughtUp(_ token: Client, _ gaps: [Gap], _ reading: Sample?) {
        guard let client = clients[token] else { return }
        tell(
            "\(token) has read, and gets \((gaps.map(\.words) + [reading?.words ?? "no reading"]).joined(separator: ", "))"
        )
        expect(gaps.count <= 5, .bounded, "\(gaps.count) gaps at once")
        expectNone(client.catchUp(gaps, reading), .account, token)
    }

    func countReads(_ count: Int) { reads = count }

    // MARK: after each turn

    func endTurn(_ core: borrowing Resource, _ demand: Demand?, deadline: BootTime?) {
        latency = demand?.latencyNanoseconds ?? 0
        for (token, client) in clients { checkNothingOwed(token, client) }
        checkSharedTurns()
        checkLanes(core)
        let grants = clients.values.map(\.grant)
        let fault = arbitration.check(demand, grants: grants, reads: core.waitingReads, profile, now: now)
        expect(fault == nil, .arbitration, fault ?? "")
        if !truth.arrivals.isEmpty, truth.isServing {
            expect(owedLosses.isEmpty, .lossTold, "\(owedLosses.keys.sorted()) were not told of the loss of the device")
        }
        lateDeadlines = deadline.map { $0.nanoseconds <= now } ?? false ? lateDeadlines + 1 : 0
        expect(lateDeadlines < 2, .deadline, "asked for \(String(describing: deadline)) again")
    }
}
