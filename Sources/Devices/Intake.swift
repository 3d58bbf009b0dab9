public import Readings

/// Where a driver puts what it read: it counts the samples and keeps them in order with gaps.
///
/// All samples come through here, whichever driver they are of, so it is here that no value enters that cannot be: what of a
/// location cannot be is left out, and values that cannot be are a sample that is missing, which is told. Each is counted.
public struct Intake: Sendable {
    /// What happened since the intake was last emptied, in order.
    public private(set) var events: [DeviceEvent] = []
    /// The number that the next sample gets.
    public private(set) var nextSequence: UInt64 = 0

    /// Values that cannot be true and are in no sample, since the intake was last emptied.
    public private(set) var refusedValues = 0

    /// An empty intake that counts from 0.
    public init() {}

    /// A sample arrived.
    public mutating func append(_ measurement: Measurement, at timestamp: BootTime) {
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
        events.append(.sample(Sample(sequence: nextSequence, timestamp: timestamp, measurement: measurement)))
        nextSequence &+= 1
    }

    /// A sample arrived whose number the device knows; the next one counts on from it.
    public mutating func append(_ measurement: Measurement, at timestamp: BootTime, sequence: UInt64) {
        nextSequence = sequence
        append(measurement, at: timestamp)
    }

    /// The device says itself how it is doing; from then on, while it is open, that counts, and its silence means nothing.
    public mutating func append(_ state: ResourceState) {
        events.append(.state(state))
        // Who waits for a reading learns at once that none will come.
        if case .unavailable(let reason) = state { events.append(.failed(reason: reason)) }
    }

    /// What follows is of another opening, as after a loss: it is numbered from 0.
    public mutating func appendOpening() {
        events.append(.opened)
        nextSequence = 0
    }

    /// Samples are missing; a known count is left out of the numbering as well.
    public mutating func append(_ gap: Gap) {
        events.append(.gap(gap))
        nextSequence &+= UInt64(clamping: gap.count ?? 0)
    }

    /// Such samples in succession are one gap.
    private mutating func missSample(at timestamp: BootTime) {
        refuse(1)
        guard case .gap(var gap)? = events.last, gap.cause == .deviceLost, let count = gap.count else {
            return append(Gap(cause: .deviceLost, count: 1, from: timestamp, until: timestamp))
        }
        gap.count = count + 1
        gap.until = max(gap.until, timestamp)
        events[events.count - 1] = .gap(gap)
        nextSequence &+= 1
    }

    /// The device gave values that cannot be true.
    public mutating func refuse(_ count: Int) { refusedValues &+= max(0, count) }

    /// The device turned out to be other than it was believed to be, or to run at another pace.
    public mutating func append(_ profile: DeviceProfile) { events.append(.profile(profile)) }

    /// Forgets the events, keeping their storage and the count.
    public mutating func removeAll() {
        events.removeAll(keepingCapacity: true)
        refusedValues = 0
    }

    /// Starts counting anew, for a device just opened.
    public mutating func restart() {
        removeAll()
        nextSequence = 0
    }
}
