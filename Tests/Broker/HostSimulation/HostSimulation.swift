internal import Admission
internal import BrokerClient
internal import Devices
internal import Platform
internal import Readings
internal import Service
internal import Varlink

/// A whole broker in virtual time: chips and programs as sources, what is derived from them, and clients at sockets, each of whose
/// streams is judged by what the sources did.
public final class HostSimulation {
    /// The result of a run.
    public struct Outcome: Sendable {
        /// What was wrong, with its time; nil: nothing.
        public let violation: String?
        /// Simulated nanoseconds.
        public let nanoseconds: Int64
        /// Readings that clients got.
        public let readings: Int
        /// What was checked, in all.
        public let checks: Int
    }

    private struct Client {
        let wire: Wire
        let audit: StreamAudit
    }

    private let clock: VirtualClock
    private let server: Server
    private let broker: Broker
    private let calls: BrokerCalls
    private let feeds: FeedCalls
    private let administration: AdminCalls
    private let admin: Wire
    private let truth: HostTruth
    private let trace: ((String) -> Void)?
    private var sources: [any SimulatedSource] = []
    private var clients: [Int: Client] = [:]
    private var rivals: [Wire] = []
    private var dueAt: BootTime?
    private var violation: String?
    private var (readings, checks) = (0, 0)

    /// Runs a scenario; the trace, if any, gets a line for each step.
    public static func run(_ scenario: HostScenario, trace: ((String) -> Void)? = nil) -> Outcome {
        do throws(SystemError) {
            let simulation = try HostSimulation(scenario, trace)
            for step in scenario.steps where simulation.violation == nil {
                trace?("\(simulation.clock.nanoseconds) \(step)")
                try simulation.perform(step)
            }
            return simulation.outcome
        } catch {
            return Outcome(
                violation: "the host has no more descriptors: \(error)", nanoseconds: 0, readings: 0, checks: 0)
        }
    }

    private var outcome: Outcome {
        for number in clients.keys { end(number) }
        server.close()
        return Outcome(
            violation: violation, nanoseconds: clock.nanoseconds - HostTruth.start, readings: readings, checks: checks)
    }

    private init(_ scenario: HostScenario, _ trace: ((String) -> Void)?) throws(SystemError) {
        self.trace = trace
        truth = HostTruth(seed: scenario.seed)
        let clock = VirtualClock(HostTruth.start)
        self.clock = clock
        server = try Server(clock: { clock.now }, stopwatch: { clock.nanoseconds })
        broker = Broker(
            server: server, journal: Journal(isSilent: true), health: nil, startedAt: clock.now,
            hangNanoseconds: .max / 4)
        (calls, feeds) = (BrokerCalls(broker), FeedCalls(broker))
        administration = AdminCalls(broker) { _ in }
        admin = Wire(server, administration, clock.now)
        broker.allowEveryone(now: clock.now)
        try add(scenario)
        try broker.addDerived(now: clock.now)
        broker.expectFeeds(now: clock.now)
        try settle()
    }

    // MARK: its sensors

    private func add(_ scenario: HostScenario) throws(SystemError) {
        let (rate, acceleration) = (scenario.gyroscopeNanoseconds, scenario.accelerometerNanoseconds)
        switch scenario.shape {
        case .oneChip: try addChip([.angularVelocity, .acceleration], rate, scenario)
        case .twoChips:
            try addChip([.angularVelocity], rate, scenario)
            try addChip([.acceleration], acceleration, scenario)
        case .onProgram: addProgram([.angularVelocity, .acceleration], rate)
        case .chipAndProgram:
            try addChip([.angularVelocity], rate, scenario)
            addProgram([.acceleration], acceleration)
        }
        if scenario.hasMagnetometer { try addChip([.magneticField], 20_000_000, scenario) }
    }

    private func addChip(_ kinds: [Kind], _ shortest: Int64, _ scenario: HostScenario) throws(SystemError) {
        let sensor = try SimulatedSensor(kinds, truth, shortest: shortest, delay: scenario.delay, clock: clock)
        try broker.add(sensor.names[0], kinds[0], sensor.channel, isSimulated: true)
        for (name, kind) in zip(sensor.names, kinds).dropFirst() {
            broker.add(name, kind, ofDeviceOf: sensor.names[0])
        }
        sources.append(sensor)
    }

    private func addProgram(_ kinds: [Kind], _ period: Int64) {
        let rules = kinds.map { kind in
            (
                kind.row.firstResource,
                FeedPolicy.Rule(kind, userIDs: [], groupIDs: [], samplesPerSecond: 100_000, isPreferred: true)
            )
        }
        broker.configure(FeedPolicy(Dictionary(uniqueKeysWithValues: rules)), now: clock.now)
        sources.append(
            SimulatedProvider(
                kinds, truth, period: period, comesAt: HostTruth.start,
                connect: { [unowned self] now in Wire(server, feeds, BootTime(nanoseconds: now)) }))
    }

    /// What a resource follows from, the one whose times it has first.
    private func sources(of kind: Kind) -> [any SimulatedSource] {
        let origins: [Kind] =
            switch kind {
            case .orientation, .tilt: [.acceleration]
            case .angularVelocity, .acceleration, .magneticField: [kind]
            default: [.angularVelocity, .acceleration]
            }
        return origins.compactMap { origin in sources.first { $0.kinds.contains(origin) } }
    }

    private static let kinds: [Kind] = [
        .angularVelocity, .acceleration, .gravity, .attitude, .linearAcceleration, .attitudeError, .gyroscopeBias,
        .rest, .tilt,
        .gravity,
    ]

    // MARK: what happens

    private func perform(_ step: HostScenario.Step) throws(SystemError) {
        let now = clock.nanoseconds
        switch step {
        case .run(let span): return try pass(until: now + span)
        case .subscribe(let client, let to, let interval):
            subscribe(client, Self.kinds[to % Self.kinds.count], interval)
        case .leave(let client): end(client)
        case .stall(let source, let span): chosen(source).stall(until: now + span, now)
        case .lose(let source, let count):
            (chosen(source) as? SimulatedSensor)?.lose(count)
            (chosen(source) as? SimulatedProvider)?.lie(count)
        case .vanish(let source, let span): chosen(source).vanish(until: now + span, now)
        case .release(let source): release(chosen(source))
        case .reacquire: reacquire()
        case .rival(let source):
            if let wire = (chosen(source) as? SimulatedProvider)?.rival(now) { rivals.append(wire) }
        }
        try settle()
    }

    private func chosen(_ number: Int) -> any SimulatedSource { sources[number % sources.count] }

    private func release(_ source: any SimulatedSource) {
        admin.call("Admin.Release", ["resource": .string(source.names[0].description)], .oneway)
        source.log.isReleased = true
    }

    private func reacquire() {
        admin.call("Admin.Reacquire", ["all": true])
        for source in sources { source.log.isReleased = false }
    }

    private func subscribe(_ number: Int, _ kind: Kind, _ interval: Int64) {
        guard clients[number] == nil else { return }
        let wire = Wire(server, calls, clock.now)
        let name = kind.row.firstResource
        let request: JSONValue = [
            "resource": .string(name.description), "intervalNanoseconds": .integer(interval),
        ]
        wire.call("Broker.Subscribe", ["requests": [request]], .more)
        clients[number] = Client(
            wire: wire,
            audit: StreamAudit(name, kind, every: interval, from: sources(of: kind), truth, clock.nanoseconds))
    }

    private func end(_ number: Int) {
        guard let client = clients.removeValue(forKey: number) else { return }
        readings += client.audit.readings
        checks += client.audit.checks
    }

    // MARK: time

    private func pass(until end: Int64) throws(SystemError) {
        while violation == nil {
            let next = sources.reduce(dueAt?.nanoseconds ?? .max) { min($0, $1.nextAt) }
            guard next <= end else { break }
            clock.advance(to: next)
            try settle()
        }
        clock.advance(to: end)
        if violation == nil { try settle() }
    }

    /// Does all that follows at this instant, and judges it.
    private func settle() throws(SystemError) {
        var quiet = 0
        var turns = 0
        while quiet < 3 {
            turns += 1
            guard turns < 200 else { return blame("the loop spins") }
            var isBusy = false
            for source in sources { isBusy = source.act(clock.nanoseconds) || isBusy }
            dueAt = try server.step(broker)
            for number in clients.keys.sorted() { isBusy = listen(number) || isBusy }
            quiet = isBusy || dueAt.map { $0 <= clock.now } ?? false ? 0 : quiet + 1
        }
        _ = admin.replies()
        judge()
    }

    private func listen(_ number: Int) -> Bool {
        guard let client = clients[number] else { return false }
        let replies = client.wire.replies()
        for reply in replies {
            guard case .success(let parameters, _) = reply, let update = try? Update(parameters) else {
                blame("client \(number) of \(client.audit.resource) received \(reply)")
                continue
            }
            if trace != nil { log(number, client, update) }
            client.audit.take(update, clock.nanoseconds)
        }
        return !replies.isEmpty
    }

    private func log(_ number: Int, _ client: Client, _ update: Update) {
        for resource in update.resources {
            trace?("\(clock.nanoseconds) \(number) \(resource.name) is \(resource.state) \(resource.reason ?? "")")
        }
        for gap in update.gaps {
            trace?(
                "\(clock.nanoseconds) \(number) \(gap.resource) gap \(gap.cause) \(gap.fromNanoseconds)…\(gap.untilNanoseconds)"
            )
        }
        for reading in update.readings {
            trace?(
                "\(clock.nanoseconds) \(number) \(reading.resource) \(reading.sequence)@\(reading.timestampNanoseconds)"
            )
        }
    }

    private func judge() {
        let now = clock.nanoseconds
        for client in clients.values {
            client.audit.endInstant(now)
            client.audit.checkIsServed(now)
            if let fault = client.audit.fault { blame(fault) }
        }
        for case let provider as SimulatedProvider in sources {
            if let fault = provider.fault { blame(fault) }
            let wanted = clients.values.contains { client in provider.names.contains(client.audit.resource) }
            if wanted, provider.log.state == .present, provider.isWanted == false,
                now > provider.silentUntil + 10_000_000_000
            {
                blame("\(provider.names[0]) is wanted, and nothing was sent to the program")
            }
        }
        for rival in rivals {
            guard case .failure(let error)? = rival.replies().first, error.name.hasSuffix("NameTaken") else {
                blame("a second program was not refused")
                continue
            }
        }
        rivals = []
    }

    private func blame(_ words: String) {
        if violation == nil { violation = "at \(Double(clock.nanoseconds) / 1e9) s: \(words)" }
    }
}
