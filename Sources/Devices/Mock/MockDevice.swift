public import Devices
public import Readings

/// A simulated device: it measures the values of its script at the requested interval, with the faults of its board.
///
/// Its samples are on a grid that starts with the script, whenever the device is opened, so a sample depends on its
/// timestamp alone. When opened, it delivers the latest sample of the grid at once, like a device that has been
/// running. If it has several kinds, the samples of all requested kinds share timestamp and number.
public struct MockDevice: DeviceDriver, ~Copyable {
    /// The device's script, which determines its rates.
    private let script: MockScript
    /// The scripts of its further kinds.
    private let further: [MockScript]
    private let faults: FaultBoard
    private let origin: MockOrigin
    private let clock: MockClock
    private let identity: String?
    private var run: Run?
    private var lastTick: BootTime?

    /// The state from `open` to `close`.
    private struct Run {
        let began: MockOrigin.Instant
        let openedAt: BootTime
        var demand: Demand
        /// The scripts of the requested kinds.
        var scripts: [MockScript]
        /// The interval that it reports.
        var reportedNanoseconds: Int64
        var grid: SampleGrid
        var yield: FaultyYield
        /// When the device was last read.
        var readAt: BootTime
    }

    /// Creates a closed device; devices of one scenario share their origin, and each has an identity of its own.
    public init(
        _ script: MockScript, further: [MockScript] = [], _ faults: FaultBoard, origin: MockOrigin,
        identity: String? = nil, clock: MockClock = .system
    ) {
        self.identity = identity
        self.script = script
        self.further = further
        self.faults = faults
        self.origin = origin
        self.clock = clock
    }

    /// Creates a closed device with an origin of its own and no faults.
    public init(_ script: MockScript, clock: MockClock = .system) {
        let origin = MockOrigin()
        self.init(script, FaultBoard(origin: origin), origin: origin, clock: clock)
    }

    /// Reports its capabilities, unless it is unplugged.
    public mutating func probe() throws(DeviceFault) -> DeviceProfile {
        try checkPlugged(clock.boot())
        return profile
    }

    /// Starts the device, and the script with the first device.
    public mutating func open(_ demand: Demand) throws(DeviceFault) -> DeviceProfile {
        let began = origin.begin(clock)
        let now = clock.boot()
        try checkPlugged(now)
        let scripts = scripts(for: demand.kinds)
        guard !scripts.isEmpty else {
            let kind = demand.kinds.kinds.first ?? script.kind
            throw DeviceFault(.missing, "the device has no \(kind.row.resource) (simulated)")
        }
        let timeline = faults.timeline
        let reported = RateFaults.interval(for: demand, script, timeline, now: now, current: nil)
        let period = RateFaults.lie(timeline, now: now) ?? reported
        var first = began.boot + (now - began.boot) / period * period
        if let lastTick, first <= lastTick { first = first + period }
        run = Run(
            began: began, openedAt: now, demand: demand, scripts: scripts, reportedNanoseconds: reported,
            grid: SampleGrid(start: first, periodNanoseconds: period, latencyNanoseconds: demand.latencyNanoseconds),
            yield: FaultyYield(openedAt: now), readAt: now)
        return profile
    }

    /// Changes the interval without losing a sample.
    public mutating func adjust(to demand: Demand, _ intake: inout Intake) throws(DeviceFault) -> DeviceProfile {
        try read(into: &intake)
        let scripts = scripts(for: demand.kinds)
        if var run {
            if scripts.isEmpty { return try open(demand) }
            run.demand = demand
            run.scripts = scripts
            settle(&run, faults.timeline, clock.boot())
            self.run = run
        }
        return profile
    }

    /// When the next batch is complete, or a fault begins or ends.
    public var readiness: Readiness {
        guard let run else { return .at(BootTime(nanoseconds: .max)) }
        let change = faults.timeline.change(after: run.readAt.nanoseconds) ?? .max
        return .at(min(run.grid.readyAt, BootTime(nanoseconds: change)))
    }

    /// Delivers due samples; throws if the device is unplugged.
    public mutating func read(into intake: inout Intake) throws(DeviceFault) {
        // Taken out and put back, since a copy would cost more than a sample.
        guard var run = run.take() else { return }
        let now = clock.boot()
        let timeline = faults.timeline
        let due = run.grid.take(at: now)
        if let gap = due.gap { run.yield.take(gap) }
        // Taken once, since each call of it in the array would retain and release it.
        let measure = run.scripts[0].measure
        let isSole = run.scripts.count == 1
        for index in 0..<due.count {
            let stamp = due.first + Int64(index) * run.grid.periodNanoseconds
            let instant = instant(of: stamp, run)
            if isSole {
                run.yield.take(measure(instant), at: stamp, timeline)
            } else {
                run.yield.take(scan: run.scripts.map { $0.measure(instant) }, at: stamp, timeline)
            }
            lastTick = stamp
        }
        run.yield.handOver(to: &intake, timeline, now: now)
        let before = run.readAt
        run.readAt = now
        let reported = run.reportedNanoseconds
        settle(&run, timeline, now)
        let hasChanged = run.reportedNanoseconds != reported
        self.run = consume run
        if hasChanged { intake.append(profile) }
        // An unplugging that is already over still counts.
        if let unplugged = timeline.lastBeginning(of: Self.outages, after: before.nanoseconds, upTo: now.nanoseconds) {
            throw DeviceFault(.lost, unplugged.fault == .unplug ? "unplugged (simulated)" : "gpsd hung up (simulated)")
        }
    }

    /// Stops the device.
    public mutating func close() { run = nil }

    private static let outages: Set<FaultKind> = [.unplug, .gpsdRestart]

    private var profile: DeviceProfile {
        var profile = DeviceProfile(
            offered: .discrete(script.offeredNanoseconds), intervalNanoseconds: run?.reportedNanoseconds,
            description: script.description, simulated: true)
        profile.identity = identity
        profile.kinds = KindSet(([script] + further).map(\.kind))
        return profile
    }

    private func scripts(for wanted: KindSet) -> [MockScript] {
        ([script] + further).filter { wanted.contains($0.kind) }
    }

    private func checkPlugged(_ now: BootTime) throws(DeviceFault) {
        let timeline = faults.timeline
        if timeline.holds(.unplug, at: now.nanoseconds) {
            throw DeviceFault(.missing, "there is no device: it is unplugged (simulated)")
        }
        if timeline.holds(.gpsdRestart, at: now.nanoseconds) {
            throw DeviceFault(.missing, "gpsd does not listen (simulated)")
        }
    }

    private func instant(of stamp: BootTime, _ run: borrowing Run) -> MockScript.Instant {
        let elapsed = stamp - run.began.boot
        return MockScript.Instant(
            elapsedNanoseconds: elapsed, index: elapsed / run.grid.periodNanoseconds,
            utcNanoseconds: run.began.utcNanoseconds &+ elapsed)
    }

    /// Sets the requested interval, as far as present faults allow; all samples up to now have been delivered.
    private func settle(_ run: inout Run, _ timeline: FaultTimeline, _ now: BootTime) {
        run.reportedNanoseconds = RateFaults.interval(
            for: run.demand, script, timeline, now: now, current: run.reportedNanoseconds)
        let period = RateFaults.lie(timeline, now: now) ?? run.reportedNanoseconds
        if run.grid.needsChange(periodNanoseconds: period, latencyNanoseconds: run.demand.latencyNanoseconds) {
            run.grid.change(
                periodNanoseconds: period, latencyNanoseconds: run.demand.latencyNanoseconds, at: now,
                anchor: run.began.boot)
        }
    }
}
