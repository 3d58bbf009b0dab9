/// Lifecycle events that wait: at most so many; the oldest go, and are counted in the first of the rest.
struct LifecycleBuffer: BoundedBuffer {
    private let capacity: Int
    private var events: [LifecycleEvent] = []
    private var missed = 0

    init(capacity: Int) { self.capacity = max(1, capacity) }

    mutating func append(_ event: LifecycleEvent) {
        if events.count == capacity {
            events.removeFirst()
            missed += 1
        }
        events.append(event)
    }

    mutating func popFirst() -> LifecycleEvent? {
        guard missed == 0 else {
            defer { missed = 0 }
            return .missed(missed)
        }
        return events.isEmpty ? nil : events.removeFirst()
    }
}
