internal import Readings

/// The events on their way from a device thread to the loop: in order, and bounded.
///
/// When it is full, the oldest samples go and a gap stands where they were. What is no sample is never dropped: there is
/// little of it, and the loop must know it. A quarter goes at once, so that a queue that stays full is not rewritten for
/// every sample.
struct DeviceQueue: Sendable {
    /// What waits, in order.
    private(set) var events: [DeviceEvent] = []
    private let capacity: Int

    init(capacity: Int) { self.capacity = max(4, capacity) }

    mutating func append(_ event: DeviceEvent) {
        events.append(event)
        if events.count > capacity { dropOldest() }
    }

    mutating func append(_ newEvents: [DeviceEvent]) {
        events.append(contentsOf: newEvents)
        if events.count > capacity { dropOldest() }
    }

    /// Hands the events over for an array whose storage is used from now on; its content is dropped.
    mutating func swapOut(_ other: inout [DeviceEvent]) {
        other.removeAll(keepingCapacity: true)
        swap(&events, &other)
    }

    private mutating func dropOldest() {
        var surplus = events.count - capacity + capacity / 4
        var kept = 0
        for index in events.indices {
            let event = events[index]
            if surplus > 0, let lost = Self.loss(in: event) {
                if kept > 0, case .gap(let gap) = events[kept - 1], let both = Self.merged(gap, lost) {
                    events[kept - 1] = .gap(both)
                } else {
                    events[kept] = .gap(lost)
                    kept += 1
                }
                surplus -= 1
            } else {
                events[kept] = event
                kept += 1
            }
        }
        events.removeSubrange(kept...)
    }

    // What is missing when this event goes; nil where it has to stay.
    private static func loss(in event: DeviceEvent) -> Gap? {
        switch event {
        case .sample(let sample):
            Gap(cause: .deviceOverflow, count: 1, from: sample.timestamp, until: sample.timestamp)
        case .gap(let gap) where gap.cause == .deviceOverflow: gap
        default: nil
        }
    }

    private static func merged(_ first: Gap, _ second: Gap) -> Gap? {
        guard first.cause == .deviceOverflow else { return nil }
        var both = first
        both.count = first.count.flatMap { count in second.count.map { count.addingSaturating($0) } }
        both.from = min(first.from, second.from)
        both.until = max(first.until, second.until)
        return both
    }
}
