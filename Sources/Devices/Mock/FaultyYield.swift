internal import Devices
internal import Readings

/// Applies a device's faults to its samples.
struct FaultyYield: Sendable {
    /// How many samples a late receiver keeps.
    static let heldCapacity = 8_192

    private var judgedUntil: BootTime
    private var toLose = 0
    private var loss: Gap?
    private var held: [Item] = []
    /// Values of one kind that came last, which go on together, as those of a real device.
    private var run: SampleRun?
    /// How many were in the last one: about as many come next.
    private var usualCount = 0

    fileprivate enum Item: Sendable {
        case sample(Measurement, BootTime)
        /// Measurements of several kinds.
        case scan([Measurement], BootTime)
        case run(SampleRun)
        case gap(Gap)
    }

    /// Starts when the device is opened; earlier losses do not count.
    init(openedAt: BootTime) { judgedUntil = openedAt }

    /// No samples are measured during these faults.
    static let silent: Set<FaultKind> = [.unplug, .gpsdRestart, .stall]

    /// Takes a sample, unless a fault prevents it.
    mutating func take(_ measurement: consuming Measurement, at stamp: BootTime, _ timeline: FaultTimeline) {
        guard passes(stamp, timeline) else { return }
        if case .values(let values) = measurement { return hold(values, at: stamp) }
        let faults = timeline.faults(at: stamp.nanoseconds)
        if !faults.isEmpty { measurement = LocationFaults.apply(faults, to: measurement) }
        hold(.sample(measurement, stamp))
    }

    /// Takes a scan of several kinds, unless a fault prevents it.
    mutating func take(scan: [Measurement], at stamp: BootTime, _ timeline: FaultTimeline) {
        if passes(stamp, timeline) { hold(.scan(scan, stamp)) }
    }

    private mutating func passes(_ stamp: BootTime, _ timeline: FaultTimeline) -> Bool {
        let judged = judgedUntil.nanoseconds
        judgedUntil = max(judgedUntil, stamp)
        if !timeline.spans.isEmpty {
            toLose += timeline.losses(after: judged, upTo: stamp.nanoseconds)
            guard !timeline.holds(Self.silent, at: stamp.nanoseconds) else { return false }
        }
        guard toLose == 0 else {
            lose(stamp)
            return false
        }
        endLoss()
        return true
    }

    mutating func take(_ gap: Gap) {
        endLoss()
        hold(.gap(gap))
    }

    /// Delivers what there is, unless the device is late.
    mutating func handOver(to intake: inout Intake, _ timeline: FaultTimeline, now: BootTime) {
        guard !timeline.holds(.late, at: now.nanoseconds) else { return dropOldest() }
        if held.isEmpty, run?.count == 1, let sample = run?[0] {
            intake.append(sample.measurement, at: sample.timestamp)
            // Its storage stays for the next one.
            run?.removeFirst(1)
            return
        }
        endRun()
        for item in held {
            switch item {
            case .sample(let measurement, let stamp): intake.append(measurement, at: stamp)
            case .scan(let scan, let stamp): intake.append(scan: scan, at: stamp)
            case .run(let run): intake.append(run)
            case .gap(let gap): intake.append(gap)
            }
        }
        held.removeAll(keepingCapacity: true)
    }

    private mutating func hold(_ item: Item) {
        endRun()
        held.append(item)
    }

    private mutating func hold(_ values: Values, at stamp: BootTime) {
        let quantity = Quantity(values.kind, input: values.input)
        if run?.quantity != quantity {
            endRun()
            run = SampleRun(of: quantity, capacity: usualCount)
        }
        run?.append(values, at: stamp)
    }

    private mutating func endRun() {
        if let run, run.count > 0 {
            usualCount = run.count
            held.append(.run(run))
        }
        run = nil
    }

    private mutating func lose(_ stamp: BootTime) {
        toLose -= 1
        var gap = loss ?? Gap(cause: .deviceOverflow, count: 0, from: stamp, until: stamp)
        gap.count = (gap.count ?? 0) + 1
        gap.until = stamp
        loss = gap
    }

    private mutating func endLoss() {
        if let loss { hold(.gap(loss)) }
        loss = nil
    }

    private mutating func dropOldest() {
        endRun()
        var count = held.reduce(0) { $0 + $1.count }
        guard count > Self.heldCapacity else { return }
        let dropped = held.prefix { item in
            defer { count -= item.count }
            return count > Self.heldCapacity / 2
        }
        guard let first = dropped.first, let last = dropped.last else { return }
        let gap = Gap(
            cause: .deviceOverflow, count: dropped.reduce(0) { $0 &+ $1.lost.count }, from: first.lost.from,
            until: last.lost.until)
        held.replaceSubrange(dropped.indices, with: [.gap(gap)])
    }
}

extension FaultyYield.Item {
    /// How many samples of it are held.
    fileprivate var count: Int { if case .run(let run) = self { run.count } else { 1 } }

    /// What is missing without it.
    fileprivate var lost: (from: BootTime, until: BootTime, count: Int) {
        switch self {
        case .sample(_, let stamp), .scan(_, let stamp): (stamp, stamp, 1)
        case .run(let run): (run.timestamp(at: 0), run.timestamp(at: run.count - 1), run.count)
        case .gap(let gap): (gap.from, gap.until, gap.count ?? 0)
        }
    }
}
