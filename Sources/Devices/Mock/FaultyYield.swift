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

    private enum Item: Sendable {
        case sample(Measurement, BootTime)
        /// Measurements of several kinds.
        case scan([Measurement], BootTime)
        case gap(Gap)

        /// The kind of a run that it can be part of.
        var runKind: Kind? { if case .sample(.values(let values), _) = self { values.kind } else { nil } }
    }

    /// Starts when the device is opened; earlier losses do not count.
    init(openedAt: BootTime) { judgedUntil = openedAt }

    /// No samples are measured during these faults.
    static let silent: Set<FaultKind> = [.unplug, .gpsdRestart, .stall]

    /// Takes a sample, unless a fault prevents it.
    mutating func take(_ measurement: consuming Measurement, at stamp: BootTime, _ timeline: FaultTimeline) {
        guard passes(stamp, timeline) else { return }
        let faults = timeline.faults(at: stamp.nanoseconds)
        if !faults.isEmpty { measurement = LocationFaults.apply(faults, to: measurement) }
        held.append(.sample(measurement, stamp))
    }

    /// Takes a scan of several kinds, unless a fault prevents it.
    mutating func take(scan: [Measurement], at stamp: BootTime, _ timeline: FaultTimeline) {
        if passes(stamp, timeline) { held.append(.scan(scan, stamp)) }
    }

    private mutating func passes(_ stamp: BootTime, _ timeline: FaultTimeline) -> Bool {
        let instant = stamp.nanoseconds
        toLose += timeline.losses(after: judgedUntil.nanoseconds, upTo: instant)
        judgedUntil = max(judgedUntil, stamp)
        guard !timeline.holds(Self.silent, at: instant) else { return false }
        guard toLose == 0 else {
            lose(stamp)
            return false
        }
        endLoss()
        return true
    }

    /// Takes a gap of the device itself.
    mutating func take(_ gap: Gap) {
        endLoss()
        held.append(.gap(gap))
    }

    /// Delivers what there is, unless the device is late.
    mutating func handOver(to intake: inout Intake, _ timeline: FaultTimeline, now: BootTime) {
        guard !timeline.holds(.late, at: now.nanoseconds) else { return dropOldest() }
        defer { held.removeAll(keepingCapacity: true) }
        if held.count == 1, case .sample(let measurement, let stamp) = held[0] {
            return intake.append(measurement, at: stamp)
        }
        var index = held.startIndex
        while index < held.endIndex {
            let item = held[index]
            if let kind = item.runKind {
                // Values of one kind that follow one another go on together, as those of a real device.
                let end = held[index...].firstIndex { $0.runKind != kind } ?? held.endIndex
                var run = SampleRun(of: kind)
                run.reserve(end - index)
                for place in index..<end {
                    if case .sample(.values(let values), let stamp) = held[place] { run.append(values, at: stamp) }
                }
                intake.append(run)
                index = end
                continue
            }
            switch item {
            case .sample(let measurement, let stamp): intake.append(measurement, at: stamp)
            case .scan(let scan, let stamp): intake.append(scan: scan, at: stamp)
            case .gap(let gap): intake.append(gap)
            }
            index += 1
        }
    }

    private mutating func lose(_ stamp: BootTime) {
        toLose -= 1
        var gap = loss ?? Gap(cause: .deviceOverflow, count: 0, from: stamp, until: stamp)
        gap.count = (gap.count ?? 0) + 1
        gap.until = stamp
        loss = gap
    }

    private mutating func endLoss() {
        if let loss { held.append(.gap(loss)) }
        loss = nil
    }

    private mutating func dropOldest() {
        guard held.count > Self.heldCapacity else { return }
        let stamps = held.prefix(held.count - Self.heldCapacity / 2).map { item in
            switch item {
            case .sample(_, let stamp), .scan(_, let stamp): (stamp, stamp, 1)
            case .gap(let gap): (gap.from, gap.until, gap.count ?? 0)
            }
        }
        guard let first = stamps.first, let last = stamps.last else { return }
        let count = stamps.reduce(0) { $0 &+ $1.2 }
        held.removeFirst(stamps.count)
        held.insert(.gap(Gap(cause: .deviceOverflow, count: count, from: first.0, until: last.1)), at: 0)
    }
}
