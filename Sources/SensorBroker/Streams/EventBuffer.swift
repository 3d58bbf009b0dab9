/// Events that wait for who iterates: at most so many, and the newest win.
///
/// Full, it drops the oldest readings and leaves a gap in their place that counts them. States, grants and gaps are few,
/// but a consumer may sleep for a day: of each kind the older one goes, gaps are joined.
package struct EventBuffer<Value: Sendable>: BoundedBuffer {
    private let capacity: Int
    private var events: [SensorEvent<Value>] = []

    /// Room for so many events, at least eight.
    package init(capacity: Int) { self.capacity = max(8, capacity) }

    package mutating func append(_ event: SensorEvent<Value>) {
        events.append(event)
        while events.count > capacity { shed() }
    }

    package mutating func popFirst() -> SensorEvent<Value>? { events.isEmpty ? nil : events.removeFirst() }

    private mutating func shed() {
        guard let index = events.firstIndex(where: { $0.reading != nil }), let reading = events[index].reading,
            events[(index + 1)...].contains(where: { $0.reading != nil })
        else { return shedOldNews() }
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

    /// There is no reading, or only the newest: what a later event of its kind has overtaken goes.
    ///
    /// With four kinds and eight places there is one.
    private mutating func shedOldNews() {
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
    fileprivate var reading: Reading<Value>? { if case .reading(let reading) = self { reading } else { nil } }

    fileprivate func isOfSameKind(as other: Self) -> Bool {
        switch (self, other) {
        case (.gap, .gap), (.state, .state), (.grant, .grant), (.disconnected, .disconnected): true
        default: false
        }
    }
}

extension Gap {
    /// One gap over both: what it was caused by last, and how many, if that is known of both.
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
