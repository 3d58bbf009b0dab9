/// A bounded queue of events for an iteration; if it is full, older events are dropped.
///
/// When it is full it drops the oldest readings and puts a gap with their number in their place. States, grants and gaps are few, and
/// kept; but where they come with each reading they do not take its place: if those before the oldest reading left take a quarter of
/// the room, gaps of a cause are joined, and an older state or grant is dropped. There is always room for two batches, however long
/// these are.
package struct EventBuffer<Value: Sendable>: BoundedBuffer {
    private var capacity: Int
    private var events: [SensorEvent<Value>] = []
    /// How many of them have been popped; they are removed now and then, since that moves all the others.
    private var popped = 0

    private static var mostPopped: Int { 64 }

    /// Creates a buffer for so many events, at least eight.
    package init(capacity: Int) { self.capacity = max(8, capacity) }

    package mutating func append(_ event: SensorEvent<Value>) {
        events.append(event)
        while events.count - popped > capacity {
            removePopped()
            shed()
        }
    }

    package mutating func append(contentsOf batch: [SensorEvent<Value>]) {
        capacity = max(capacity, 2 * batch.count)
        for event in batch { append(event) }
    }

    package mutating func popFirst() -> SensorEvent<Value>? {
        guard popped < events.count else { return nil }
        let event = events[popped]
        popped += 1
        if popped == events.count || popped >= max(Self.mostPopped, events.count / 2) { removePopped() }
        return event
    }

    private mutating func removePopped() {
        assert(popped <= events.count, "only what is there is popped")
        events.removeFirst(popped)
        popped = 0
    }

    private mutating func shed() {
        let oldest = events.firstIndex { $0.reading != nil } ?? events.endIndex
        // The newest reading stays.
        let isLast = !events.dropFirst(oldest + 1).contains { $0.reading != nil }
        if isLast || oldest > capacity / 4 {
            if dropSuperseded(before: oldest, { $0.isGap(like: $1) }) { return }
            if dropSuperseded(before: oldest, { $0.isOld(beside: $1) }) { return }
        }
        guard !isLast, let reading = events[oldest].reading else {
            // With five kinds and eight places there always is something else.
            if !dropSuperseded(before: events.endIndex, { $0.isGap && $1.isGap || $0.isOld(beside: $1) }) {
                events.removeFirst()
            }
            return
        }
        let gap = Gap(
            resource: reading.resource, cause: .slowConsumer, count: 1, from: reading.timestamp,
            until: reading.timestamp)
        if oldest > 0, case .gap(let former) = events[oldest - 1], former.cause == .slowConsumer {
            events[oldest - 1] = .gap(former.joined(with: gap))
            events.remove(at: oldest)
        } else {
            events[oldest] = .gap(gap)
        }
    }

    /// Drops an event that a later one supersedes, both before a place; false if there is none.
    private mutating func dropSuperseded(
        before end: Int, _ isSuperseded: (SensorEvent<Value>, SensorEvent<Value>) -> Bool
    ) -> Bool {
        for index in 0..<end {
            let event = events[index]
            guard let later = events[(index + 1)..<end].firstIndex(where: { isSuperseded(event, $0) }) else { continue }
            if case .gap(let first) = event, case .gap(let second) = events[later] {
                // It stands where the first one was, before what came in between.
                events[index] = .gap(first.joined(with: second))
                events.remove(at: later)
            } else {
                events.remove(at: index)
            }
            return true
        }
        return false
    }
}

extension SensorEvent {
    /// The reading, if it is one.
    var reading: Reading<Value>? { if case .reading(let reading) = self { reading } else { nil } }

    fileprivate var isGap: Bool { if case .gap = self { true } else { false } }

    /// Whether both are gaps of one cause, which are reported as one.
    fileprivate func isGap(like later: Self) -> Bool {
        if case .gap(let gap) = self, case .gap(let other) = later { gap.cause == other.cause } else { false }
    }

    /// Whether it no longer holds, by a later event.
    fileprivate func isOld(beside later: Self) -> Bool {
        switch (self, later) {
        case (.state, .state), (.grant, .grant), (.disconnected, .disconnected), (.refused, .refused): true
        default: false
        }
    }
}

extension Gap {
    /// One gap that covers both, with the later cause; the count is the sum, if both are known.
    fileprivate func joined(with later: Gap) -> Gap {
        var sum: Int?
        if let count, let more = later.count {
            let (total, overflow) = count.addingReportingOverflow(more)
            sum = overflow ? .max : total
        }
        return Gap(
            resource: resource, cause: later.cause, count: sum, from: min(from, later.from),
            until: max(until, later.until))
    }
}

/// A bounded queue of lifecycle events.
///
/// The oldest are dropped, and counted in the first of the rest.
package struct LifecycleBuffer: BoundedBuffer {
    private let capacity: Int
    private var events: [LifecycleEvent] = []
    private var missed = 0

    package init(capacity: Int) { self.capacity = max(1, capacity) }

    package mutating func append(_ event: LifecycleEvent) {
        if events.count == capacity {
            events.removeFirst()
            missed += 1
        }
        events.append(event)
    }

    package mutating func popFirst() -> LifecycleEvent? {
        guard missed == 0 else {
            defer { missed = 0 }
            return .missed(missed)
        }
        return events.isEmpty ? nil : events.removeFirst()
    }
}

/// A queue of bounded length that drops old elements for new ones, and records that it did.
package protocol BoundedBuffer: Sendable {
    associatedtype Element: Sendable
    mutating func append(_ element: Element)
    /// Adds elements that came together.
    mutating func append(contentsOf elements: [Element])
    mutating func popFirst() -> Element?
}

extension BoundedBuffer {
    package mutating func append(contentsOf elements: [Element]) { for element in elements { append(element) } }
}
