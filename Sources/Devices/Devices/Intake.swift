public import Readings

/// Where a driver puts what it has read: numbers the samples and keeps them in order with gaps.
///
/// The samples of every driver come through here, so this is where impossible values are stopped: the impossible parts
/// of a location are left out; a sample of another kind with an impossible value is dropped and reported as a gap. Each
/// such value is counted.
public struct Intake: Sendable {
    /// The events since the intake was last emptied, in order.
    public private(set) var events: [DeviceEvent] = []
    /// The number that the next sample gets.
    public private(set) var nextSequence: UInt64 = 0

    /// How many impossible values were left out since the intake was last emptied.
    public private(set) var refusedValues = 0

    /// The indices of gaps of single quantities that are still growing.
    private var growing: [Int] = []

    /// Since when samples of a restarted device are missing, by quantity, until its next sample comes.
    private var interrupted: [(quantity: Quantity, since: BootTime)] = []

    /// An empty intake that counts from 0.
    public init() {}

    /// Adds a sample.
    package mutating func append(_ measurement: Measurement, at timestamp: BootTime) {
        var measurement = measurement
        switch measurement {
        case .location(var location):
            let refused = location.refuseImpossible()
            if refused > 0 { measurement = .location(location) }
            refuse(refused)
        case .values(let values):
            if !values.isPossible { return missSample(at: timestamp) }
        case .orientation: break
        }
        endInterruption(at: timestamp)
        events.append(.sample(Sample(sequence: nextSequence, timestamp: timestamp, measurement: measurement)))
        nextSequence &+= 1
    }

    /// Adds samples, which get the next numbers.
    public mutating func append(_ run: SampleRun) {
        guard run.count > 1, run.isPossible else {
            for sample in run.samples { append(sample.measurement, at: sample.timestamp) }
            return
        }
        var run = run
        endInterruption(at: run.timestamp(at: 0))
        run.firstSequence = nextSequence
        nextSequence &+= UInt64(run.count)
        events.append(.run(run))
    }

    /// Adds a sample that the device has numbered; later samples count on from this number.
    package mutating func append(_ measurement: Measurement, at timestamp: BootTime, sequence: UInt64) {
        nextSequence = sequence
        append(measurement, at: timestamp)
    }

    /// Adds a scan: measurements of several quantities, one of each, taken at one moment.
    ///
    /// They share a number. An impossible measurement is left out of the scan and reported as a gap of its own; the
    /// others are kept.
    package mutating func append(scan: [Measurement], at timestamp: BootTime) {
        let scan = scan.map { measurement in
            guard case .location(var location) = measurement else { return measurement }
            refuse(location.refuseImpossible())
            return .location(location)
        }
        endInterruption(at: timestamp)
        let before = events.count
        for measurement in scan where measurement.isPossible {
            events.append(.sample(Sample(sequence: nextSequence, timestamp: timestamp, measurement: measurement)))
        }
        let entered = events.count - before
        assert((0...scan.count).contains(entered))
        if entered == 0 { return missSample(at: timestamp, values: scan.count) }
        if entered < scan.count || !growing.isEmpty { missSome(of: scan, at: timestamp) }
        nextSequence &+= 1
    }

    /// The device reports its own state; as long as it stays open, that state counts, and its silence means nothing.
    public mutating func append(_ state: ResourceState) {
        events.append(.state(state))
        // A client that waits for a reading learns at once that none will come.
        if case .unavailable(let reason) = state { events.append(.failed(reason: reason)) }
    }

    /// The samples that follow belong to another opening, as after a loss: they are numbered from 0.
    public mutating func appendOpening() {
        events.append(.opened)
        interrupted.removeAll()
        nextSequence = 0
    }

    /// The device was restarted: samples of these kinds are missing from then to its next sample, which a gap reports.
    ///
    /// If it is restarted again before that sample, a kind counts as missing since the first restart; a kind that is no
    /// longer named has lost nothing.
    public mutating func interrupt(_ kinds: KindSet, since start: BootTime) {
        interrupted = kinds.quantities.map { quantity in
            interrupted.first { $0.quantity == quantity } ?? (quantity, start)
        }
        assert(Set(interrupted.map(\.quantity)).count == interrupted.count)
    }

    private mutating func endInterruption(at timestamp: BootTime) {
        guard !interrupted.isEmpty else { return }
        for (quantity, start) in interrupted {
            append(Gap(cause: .reconfigured, count: nil, from: start, until: max(start, timestamp + -1)), of: quantity)
        }
        interrupted.removeAll()
    }

    /// Samples of one quantity are missing, while those of the others have come or are yet to come.
    public mutating func append(_ gap: Gap, of quantity: Quantity) { events.append(.missing(gap, of: quantity)) }

    /// Samples are missing; if their count is known, the numbering skips as many.
    public mutating func append(_ gap: Gap) {
        endInterruption(at: gap.from)
        events.append(.gap(gap))
        nextSequence &+= UInt64(clamping: gap.count ?? 0)
    }

    /// Consecutive dropped samples are one gap.
    private mutating func missSample(at timestamp: BootTime, values: Int = 1) {
        assert(values >= 0)
        refuse(values)
        guard case .gap(var gap)? = events.last, gap.cause == .deviceLost, let count = gap.count else {
            return append(Gap(cause: .deviceLost, count: 1, from: timestamp, until: timestamp))
        }
        gap.count = count + 1
        gap.until = max(gap.until, timestamp)
        events[events.count - 1] = .gap(gap)
        nextSequence &+= 1
    }

    /// Consecutive dropped measurements of a quantity are one gap.
    private mutating func missSome(of scan: [Measurement], at timestamp: BootTime) {
        assert(growing.allSatisfy(events.indices.contains), "each gap that grows is still here")
        for measurement in scan {
            let index = growing.firstIndex { events[$0].missing?.quantity == measurement.quantity }
            if measurement.isPossible {
                if let index { growing.remove(at: index) }
                continue
            }
            refuse(1)
            if let index, var gap = events[growing[index]].missing?.gap {
                gap.count = gap.count.map { $0 + 1 }
                gap.until = max(gap.until, timestamp)
                events[growing[index]] = .missing(gap, of: measurement.quantity)
            } else {
                growing.append(events.count)
                let gap = Gap(cause: .deviceLost, count: 1, from: timestamp, until: timestamp)
                events.append(.missing(gap, of: measurement.quantity))
            }
        }
    }

    /// Counts values from the device that cannot be true.
    public mutating func refuse(_ count: Int) { refusedValues &+= max(0, count) }

    /// The device turned out to differ from what was known of it, or to run at another pace.
    public mutating func append(_ profile: DeviceProfile) { events.append(.profile(profile)) }

    /// Empties the intake after somebody has taken the events out, who may leave other storage for them.
    mutating func empty(by take: (inout [DeviceEvent]) -> Void) {
        take(&events)
        assert(events.isEmpty, "an event was left behind")
        removeAll()
    }

    /// Removes the events, but keeps their storage and the count.
    public mutating func removeAll() {
        // Even on an empty array it is slow.
        if !events.isEmpty { events.removeAll(keepingCapacity: true) }
        if !growing.isEmpty { growing.removeAll(keepingCapacity: true) }
        refusedValues = 0
        assert(events.isEmpty && growing.isEmpty)
    }

    /// Starts counting from 0 again, for a device just opened.
    public mutating func restart() {
        removeAll()
        interrupted.removeAll()
        nextSequence = 0
    }
}

extension Measurement {
    /// Whether the value is physically possible; a location always is, since its impossible parts are left out instead.
    fileprivate var isPossible: Bool {
        if case .values(let values) = self { values.isPossible } else { true }
    }
}

extension DeviceEvent {
    fileprivate var missing: (gap: Gap, quantity: Quantity)? {
        if case .missing(let gap, let quantity) = self { (gap, quantity) } else { nil }
    }
}
