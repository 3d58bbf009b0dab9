internal import Delivery
internal import Devices
internal import Readings

/// Watches all input and output of the core, and checks it against the device's truth and the clients' accounts.
///
/// It does not know how the core decides: only which samples came when, what was granted, and what was delivered.
final class Auditor {
    private(set) var violation: Violation?
    private(set) var checks = 0
    private(set) var readings = 0
    var truth = Truth()
    var clients: [Client: ClientAudit] = [:]
    private(set) var turn = 0
    private(set) var now: Int64 = 0
    private(set) var latency: Int64 = 0
    let kind: Kind
    /// The time from a measurement to its arrival.
    let usualDelay: Int64
    /// How late the broker's timer may fire.
    let timerLateness: Int64
    /// After a sleep of the host: the clients that have had readings since then in this turn.
    private var caughtUpAfterSleep: Set<Client>?
    /// When the device lost samples of the kind; one hand-over may report hundreds of losses before a client learns of
    /// the first.
    private var losses: Set<ClosedRange<Int64>> = []
    /// The clients still to be informed of a loss of the device, and how often: it may be lost again in the turn of its
    /// return.
    private var dueLosses: [Client: Int] = [:]
    /// The same for losses in which perhaps nothing was due.
    private var possibleLosses: [Client: Int] = [:]
    /// Calls that wait for a sample.
    private var reads: [WaitingRead] = []
    var readCount: Int { reads.count }
    /// Whether somebody asks for the resource.
    var isWanted: Bool { !clients.isEmpty || !reads.isEmpty }
    /// Whether the device runs for others, so that it yields nothing here although this resource has no requests.
    private var isDeviceForOthers = false
    /// A client has come while the device ran for others, and no sample has come since.
    private var isAwaitingFirst = false
    private var wasWanted = false
    /// The last announced state of the resource.
    private var announced = ResourceState.idle
    private let isFirst: Bool
    /// The device has continued without the kind, of which no sample has come since.
    private var isReturning = false
    /// The device has stopped, or lacks the kind, since the last sample.
    private var isLost = false
    /// Readings of this turn whose clients have steady due times.
    var beats: [Beat] = []
    private var profile: DeviceProfile?

    /// Gets a line for every input and output.
    private let trace: ((String) -> Void)?

    init(_ device: DeviceTraits, _ kind: Kind, isFirst: Bool, trace: ((String) -> Void)?) {
        self.kind = kind
        self.isFirst = isFirst
        usualDelay = device.delay
        timerLateness = device.timerLateness
        self.trace = trace
    }

    private func log(_ words: @autoclosure () -> String) { trace?("\(now) ns: \(words())") }

    func beginTurn(_ now: BootTime, afterSleep: Bool = false) {
        turn += 1
        beats = []
        caughtUpAfterSleep = afterSleep ? [] : nil
        self.now = now.nanoseconds
    }

    func expect(_ holds: Bool, _ invariant: Invariant, _ detail: @autoclosure () -> String) {
        checks += 1
        guard !holds, violation == nil else { return }
        violation = Violation(invariant: invariant, at: now, detail: detail())
    }

    func expectNone(_ fault: String?, _ invariant: Invariant, _ client: Client) {
        expect(fault == nil, invariant, "client \(client): \(fault ?? "")")
    }

    // MARK: events of the device

    func observe(_ event: DeviceEvent, _ now: BootTime) {
        if isFirst { log(event.words) }
        switch event {
        case .sample(let sample) where sample.measurement.kind == kind && !isIdle:
            isAwaitingFirst = false
            if isReturning { kindReturns(with: sample) }
            if isLost { endOutage(at: sample.timestamp) }
            truth.add(sample, at: now.nanoseconds, turn: turn)
            let index = truth.arrivals.count - 1
            for client in clients.values { client.passOver(truth.arrivals[index], at: index, period: truth.period) }
        // An absent device loses nothing: to its clients the whole time is one loss.
        case .gap(let gap) where !isIdle && !isAwaitingFirst && isPresent: lose(gap)
        case .missing(let gap, Quantity(kind)) where !isIdle: lose(gap)
        case .sample, .gap, .missing: break
        case .profile(let profile):
            self.profile = profile
            let former = truth.period
            truth.setPeriod(profile.intervalNanoseconds, at: now.nanoseconds)
            if truth.period != former { for client in clients.values { client.periodChanges(from: former, truth) } }
            if !profile.kinds.contains(kind), truth.isServing { loseKind() }
        case .opened: (isAwaitingFirst, isReturning) = (false, false)
        case .state(.idle) where clients.isEmpty:
            truth.close()
            dueLosses = [:]
        case .state(.unavailable), .state(.released), .state(.idle): lose()
        default: break
        }
    }

    private var isPresent: Bool { profile?.kinds.contains(kind) ?? true }

    /// Samples of the kind go to nobody.
    private var isIdle: Bool { !isWanted && isDeviceForOthers }

    /// The requests for the device's resources may have changed.
    func note(isDeviceForOthers: Bool) {
        if isWanted != wasWanted { isAwaitingFirst = isWanted && isDeviceForOthers }
        wasWanted = isWanted
        self.isDeviceForOthers = isDeviceForOthers
        guard isIdle else { return }
        truth.close()
        dueLosses = [:]
    }

    private func endOutage(at instant: BootTime) {
        isLost = false
        truth.outageEnd = max(truth.outageEnd, instant.nanoseconds)
    }

    private func lose(_ gap: Gap) {
        if isLost || gap.cause.isOutage { endOutage(at: gap.from) }
        truth.add(gap)
        losses.insert(Self.span(of: gap))
        for client in clients.values { client.deviceLost(gap, truth.period) }
    }

    private static func span(of gap: Gap) -> ClosedRange<Int64> {
        gap.from.nanoseconds...max(gap.from, gap.until).nanoseconds
    }

    /// Streams are informed of the resource's state.
    func announced(_ state: ResourceState) {
        log("\(kind.row.resource) is \(state.name)")
        announced = state
    }

    /// A resource is in use exactly if somebody asks for it, and unavailable if the device does not have it.
    func checkState(ofDevice state: ResourceState) {
        let expected: String =
            switch state {
            case .unavailable, .released: state.name
            default:
                !isPresent
                    ? "unavailable" : isIdle ? "idle" : isAwaitingFirst && state == .active ? "starting" : state.name
            }
        expect(announced.name == expected, .state, "\(kind.row.resource) is \(announced.name), not \(expected)")
    }

    /// After everything gathered has been sent.
    func opened() {
        truth.open()
        for client in clients.values { client.deviceOpened() }
    }

    /// The device continues without the kind: a client that has nothing due until it comes back loses nothing.
    private func loseKind() {
        for client in clients.keys { possibleLosses[client, default: 0] += 1 }
        isLost = true
        truth.close()
        isReturning = true
    }

    /// What was due while the kind was absent is reported with its first sample.
    private func kindReturns(with sample: Sample) {
        isReturning = false
        let from = truth.arrivals.last?.sample.timestamp ?? sample.timestamp
        let gap = Gap(cause: .deviceLost, count: nil, from: from, until: sample.timestamp)
        truth.add(gap)
        for client in clients.values { client.kindReturns(gap, truth.period) }
    }

    private func lose() {
        if truth.isServing {
            isLost = true
            for client in clients.keys { dueLosses[client, default: 0] += 1 }
        }
        truth.close()
    }

    // MARK: requests of clients

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
        log("\(client) is granted \(grant)")
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

    /// A changed stream has waited for its new interval since its last reading; and a raw sample is no mean.
    private static func isDue(_ newest: Truth.Arrival?, to former: ClientAudit, _ grant: Grant) -> Bool {
        guard let newest, former.hasNotSeen(newest), grant.filter == .newest else { return false }
        return former.lastStamp.map { newest.stamp - $0 >= grant.intervalNanoseconds } ?? true
    }

    /// Whether a sample differs from the last reading by the minimum change; unsure close to the limit.
    private func hasMoved(_ newest: Truth.Arrival?, _ former: ClientAudit?, _ grant: Grant, sure: Bool) -> Bool {
        guard let newest, let last = former?.reference(truth), let change = grant.minimumChange else { return true }
        let tolerance = Distance.tolerance(of: change)
        return Distance.between(last, newest.sample) >= change + (sure ? tolerance : -tolerance)
    }

    func leave(_ client: Client) {
        log("\(client) leaves")
        clients[client] = nil
        dueLosses[client] = nil
        possibleLosses[client] = nil
    }

    // MARK: deliveries

    func handOutAlone(_ client: Client, _ reading: Sample, isTaken: Bool) {
        readings += 1
        log("\(client) gets at once \(reading.words)\(isTaken ? "" : ", but is full")")
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
        log(
            "\(token) gets \((gaps.map(\.words) + readings.map(\.words)).joined(separator: ", "))\(isTaken ? "" : ", but is full")"
        )
        expect(!isTaken || client.missed == nil, .inOrder, "client \(token) has not got what it missed before")
        for gap in gaps { check(gap, token, client) }
        if readings.isEmpty { return }
        self.readings += readings.count
        let isOfThisTurn = truth.arrivals.last.map { $0.turn == turn && $0.sample == readings.last } ?? false
        // A device that was kept open yields samples before it reports that it is in use.
        expect(
            !isOfThisTurn || announced == .active || announced == .warm, .state,
            "client \(token) gets a reading of a resource that is \(announced)")
        if caughtUpAfterSleep != nil, client.grant.batchNanoseconds == 0 {
            let isOne = caughtUpAfterSleep?.insert(token).inserted == true && readings.count == 1
            expect(isOne, .oneCatchUp, "client \(token) gets \(readings.count) readings and more after a sleep")
        }
        let first = client.nextIndex
        for reading in readings { check(reading, token, client, isTaken: isTaken) }
        checkBatch(readings, from: first, token, client)
    }

    private func check(_ gap: Gap, _ token: Client, _ client: ClientAudit) {
        if gap.cause.isOutage {
            let (due, possible) = (dueLosses[token] ?? 0, possibleLosses[token] ?? 0)
            expect(due + possible > 0, .lossReported, "\(token) is sent \(gap), which is not its loss")
            if due > 0 { dueLosses[token] = due > 1 ? due - 1 : nil } else { possibleLosses[token] = possible - 1 }
        }
        expect(gap.from <= gap.until, .gapReported, "\(gap)")
        let isLoss = gap.cause != .deviceOverflow || losses.contains(Self.span(of: gap))
        expect(isLoss, .gapReported, "\(token) is sent \(gap), which the device has not lost of \(kind.row.resource)")
        if let due = client.dueGaps.first, gap.cause == .deviceOverflow {
            expect(due == gap, .gapReported, "\(token) takes all, is sent \(gap), lost \(due)")
        }
        client.reported(gap)
    }

    func caughtUp(_ token: Client, _ gaps: [Gap], _ reading: Sample?) {
        guard let client = clients[token] else { return }
        log(
            "\(token) has read, and gets \((gaps.map(\.words) + [reading?.words ?? "no reading"]).joined(separator: ", "))"
        )
        expect(gaps.count <= 5, .bounded, "\(gaps.count) gaps at once")
        expectNone(client.catchUp(gaps, reading), .account, token)
    }

    // MARK: reads

    func waits(_ read: WaitingRead) {
        reads.append(read)
        log("a call waits for \(kind.row.resource)")
    }

    func answered(_ read: WaitingRead, _ outcome: WaitingRead.Outcome) {
        log("a call of \(read.since.nanoseconds) is answered: \(outcome)")
        let former = reads.count
        reads.removeAll { $0 == read }
        expect(reads.count == former - 1, .answered, "a call is answered twice")
        switch outcome {
        case .sample(let sample):
            let isGenuine = truth.arrivals.last.map { $0.sample == sample && $0.turn == turn } ?? false
            expect(isGenuine && sample.timestamp >= read.since, .answered, "\(read) is answered with \(sample)")
        case .timedOut: expect(now >= read.deadline.nanoseconds, .answered, "\(read) has time left")
        case .failed: break
        case .forbidden, .dropped: expect(false, .answered, "\(read) was \(outcome)")
        }
    }

    private func checkReads() {
        for read in reads {
            expect(now <= read.deadline.nanoseconds + timerLateness, .answered, "\(read) has not been answered")
            let isThere = truth.arrivals.last.map { $0.turn == turn && $0.sample.timestamp >= read.since } ?? false
            expect(!isThere, .answered, "\(read) has not been answered with the sample that has come")
        }
    }

    // MARK: after each turn

    func endTurn(_ core: borrowing Resource, latency: Int64) {
        self.latency = latency
        for (token, client) in clients { checkNothingDue(token, client) }
        checkSharedTurns()
        checkLanes(core)
        checkReads()
        expect(core.waitingReads == reads.count, .answered, "\(core.waitingReads) calls wait, of \(reads.count)")
        if !truth.arrivals.isEmpty, truth.isServing {
            expect(dueLosses.isEmpty, .lossReported, "\(dueLosses.keys.sorted()) have not got the loss of the device")
        }
    }
}
