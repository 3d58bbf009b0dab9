internal import Delivery
internal import Readings

/// One run of a scenario in virtual time, to its end or to the first violation.
public struct Simulation {
    /// The result of a run.
    public struct Outcome: Sendable {
        /// The violation.
        public let violation: Violation?
        /// Simulated nanoseconds.
        public let nanoseconds: Int64
        /// Readings delivered to clients.
        public let readings: Int
        /// Invariants checked.
        public let checks: Int
    }

    private static let start: Int64 = 1_000_000_000_000
    private let broker: SimulatedBroker
    private let auditor: DeviceAudit
    private var now = Self.start

    private init(_ scenario: Scenario, trace: ((String) -> Void)?) {
        broker = SimulatedBroker(scenario.device, trace: trace)
        auditor = broker.audit
    }

    /// Runs a scenario; the trace, if any, gets a line for each event.
    public static func run(_ scenario: Scenario, trace: ((String) -> Void)? = nil) -> Outcome {
        var simulation = Simulation(scenario, trace: trace)
        for step in scenario.steps where simulation.auditor.violation == nil { simulation.perform(step) }
        return Outcome(
            violation: simulation.auditor.violation, nanoseconds: simulation.now - start,
            readings: simulation.auditor.readings, checks: simulation.auditor.checks)
    }

    private mutating func perform(_ step: Step) {
        if case .run(let span) = step { return pass(until: now + span) }
        if case .suspend(let span) = step { return sleep(span) }
        let instant = BootTime(nanoseconds: now)
        auditor.beginTurn(instant)
        switch step {
        case .run, .suspend: break
        case .join(let client, let ask): broker.join(client, ask, instant)
        case .modify(let client, let ask): broker.modify(client, ask, instant)
        case .leave(let client): broker.leave(client, instant)
        case .sleep(let client): broker.setReading(client, false)
        case .wake(let client): broker.setReading(client, true)
        case .read: broker.read(instant)
        case .fault(let fault, let span):
            broker.deviceSent(broker.device.suffer(fault, for: span, now: now), instant)
        case .release(let span): broker.deviceSent(broker.device.release(span, now: now), instant)
        }
        endTurn()
    }

    private mutating func pass(until end: Int64) {
        while auditor.violation == nil {
            let next = min(broker.device.nextEventAt, timerAt)
            guard next <= end else { break }
            now = max(now, next)
            auditor.beginTurn(BootTime(nanoseconds: now))
            if broker.device.nextEventAt <= now {
                broker.deviceSent(broker.device.poll(now: now), BootTime(nanoseconds: now))
            }
            endTurn()
        }
        now = max(now, end)
    }

    /// When the broker's timer fires: at its deadline, or somewhat later.
    private var timerAt: Int64 {
        guard let deadline = broker.deadline?.nanoseconds else { return .max }
        let lateness = Double(broker.device.traits.timerLateness)
        return deadline + Int64(lateness * abs(Dice.noise(UInt64(bitPattern: deadline), 0)))
    }

    /// The host continues where it was, with its boot clock moved forward: all timers fire at once.
    private mutating func sleep(_ span: Int64) {
        broker.device.stall(span)
        now += span
        auditor.beginTurn(BootTime(nanoseconds: now), afterSleep: true)
        endTurn()
    }

    private mutating func endTurn() {
        broker.turnDidEnd(BootTime(nanoseconds: now))
        broker.clientsRead(BootTime(nanoseconds: now))
        broker.endTurn()
    }
}
