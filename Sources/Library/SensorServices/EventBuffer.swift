/// A bounded queue of events for an iteration; if it is full, older events are dropped.
///
/// When it is full it drops the oldest readings and puts a gap with their number in their place. States, grants and
/// gaps are few, but a consumer may sleep for a day: an older one of each kind is dropped, and gaps are joined. There is always
/// room for two batches, however long these are.
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
        guard let index = events.firstIndex(where: { $0.reading != nil }), let reading = events[index].reading,
            events[(index + 1)...].contains(where: { $0.reading != nil })
        else { return dropSuperseded() }
        let gap = Gap(
            resource: reading.resource, cause: .slowConsumer, count: 1, from: reading.timestamp,
            until: reading.timestamp)
        if index > 0, case .gap(let former) = events[index - 1], former.cause == .slowConsumer {
            events[index - 1] = .gap(former.joined(with: gap))
            events.remove(at: index)
        } else {
            events[index] = .gap(gap)
        }
    }

    /// Drops an event that a later one of its kind has superseded.
    ///
    /// Called when there is no reading but the newest.
    ///
    /// With five kinds and eight places there always is one.
    private mutating func dropSuperseded() {
        for (index, event) in events.enumerated() {
            guard let later = events[(index + 1)...].firstIndex(where: { $0.isOfSameKind(as: event) }) else { continue }
            if case .gap(let first) = event, case .gap(let second) = events[later] {
                events[later] = .gap(first.joined(with: second))
            }
            events.remove(at: index)
            return
        }
        events.removeFirst()
    }
}

extension SensorEvent {
    /// The reading, if it is one.
    var reading: Reading<Value>? { if case .reading(let reading) = self { reading } else { nil } }

    fileprivate func isOfSameKind(as other: Self) -> Bool {
        switch (self, other) {
        case (.gap, .gap), (.state, .state), (.grant, .grant), (.disconnected, .disconnected),
            (.refused, .refused):
            true
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
