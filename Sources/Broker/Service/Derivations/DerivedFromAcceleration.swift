internal import Delivery
internal import Devices
internal import Readings

/// The orientation or the tilt, from the readings of an accelerometer.
final class DerivedFromAcceleration: DerivedContent {
    private let unknown: Tracker
    private var tracker: Tracker
    private var hasYielded = false
    private var pending: [(measurement: Measurement, timestamp: BootTime)] = []

    /// Ten per second: a display need not turn faster.
    private static let fastestNanoseconds: Int64 = 100_000_000
    /// Once a second: however long clients' intervals are, what is derived must be right when they ask.
    private static let slowestNanoseconds: Int64 = 1_000_000_000

    /// What a tracker makes of the readings; it knows nothing yet.
    init(_ unknown: Tracker) { (self.unknown, tracker) = (unknown, unknown) }

    let needsScale = false
    let isSettled = true
    var hasPending: Bool { !pending.isEmpty }

    func origin(_ inputs: [DerivationInput]) -> String { inputs[0].origin }

    func offered(_ inputs: [DerivationInput]) -> OfferedIntervals {
        .range(shortestNanoseconds: Self.fastestNanoseconds, longestNanoseconds: Self.slowestNanoseconds)
    }

    func grant(of source: OwnedResource, at position: Int, for demand: Demand) -> Grant? {
        source.grant(every: demand.intervalNanoseconds ?? Self.fastestNanoseconds)
    }

    func ground(_ inputs: [DerivationInput]) -> Indifference.Ground? {
        hasYielded ? .unturned(tracker, along: inputs[0].axes) : nil
    }

    /// A chip's offsets do not turn a device from one edge to another.
    func calibrate(_ inputs: [DerivationInput]) {}

    func restart() {
        tracker = unknown
        hasYielded = false
        pending.removeAll(keepingCapacity: true)
    }

    /// Something follows if what is derived has changed, and always from the first reading.
    func take(_ readings: SampleList, _ gaps: [Gap], of position: Int, _ inputs: [DerivationInput]) {
        let axes = inputs[position].axes
        for reading in readings {
            guard let value = Acceleration(reading.measurement) else { continue }
            guard tracker.follow(value, along: axes) || !hasYielded, let measurement = tracker.measurement else {
                continue
            }
            hasYielded = true
            pending.append((measurement, reading.timestamp))
        }
    }

    func conclude(into intake: inout Intake) {
        for (measurement, timestamp) in pending { intake.append(measurement, at: timestamp) }
        pending.removeAll(keepingCapacity: true)
    }
}
