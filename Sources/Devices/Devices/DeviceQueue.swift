internal import Readings

/// The events on their way from a device thread to the loop: in order, and bounded.
///
/// When the queue is full, the oldest samples are dropped and gaps take their places. All other events stay, since the
/// loop must know them and they are few; only gaps that lie among lost samples are merged. A quarter of the queue is
/// dropped at once, so that a queue that stays full is not rewritten for every sample.
///
/// The samples of a scan are dropped together. A device of several quantities does not always yield the same number of each,
/// so if the queue holds several, each gets a gap of its own.
struct DeviceQueue: Sendable {
    /// The waiting events, in order.
    private(set) var events: [DeviceEvent] = []
    /// How many more samples there are than events: those of a run are one event.
    private var furtherSamples = 0
    private let capacity: Int

    init(capacity: Int) { self.capacity = max(4, capacity) }

    mutating func append(_ event: DeviceEvent) {
        events.append(event)
        furtherSamples += event.furtherSamples
        if load > capacity { dropOldest() }
    }

    /// Takes events out of an array, which gets the storage of the queue if that is empty: nearly always.
    mutating func take(_ newEvents: inout [DeviceEvent]) {
        let before = events.count
        if before == 0 {
            swap(&events, &newEvents)
        } else {
            events += newEvents
            newEvents.removeAll(keepingCapacity: true)
        }
        for index in before..<events.count { furtherSamples += events[index].furtherSamples }
        if load > capacity { dropOldest() }
    }

    /// Swaps the events with an array whose storage is used from now on; that array's content is dropped.
    mutating func swapOut(_ other: inout [DeviceEvent]) {
        other.removeAll(keepingCapacity: true)
        swap(&events, &other)
        furtherSamples = 0
        assert(events.isEmpty)
    }

    private var load: Int { events.count + furtherSamples }

    private mutating func dropOldest() {
        assert(load > capacity && furtherSamples >= 0)
        let surplus = load - capacity + capacity / 4
        let isOfSeveral = Set(events.lazy.compactMap(\.quantity)).count > 1
        var dropped = 0
        var scan: UInt64?
        var losses = Losses()
        var kept: [DeviceEvent] = []
        kept.reserveCapacity(events.count)
        for event in events {
            switch event {
            case .sample(let sample) where dropped < surplus || sample.sequence == scan:
                scan = sample.sequence
                losses.add(
                    Gap(cause: .deviceOverflow, count: 1, from: sample.timestamp, until: sample.timestamp),
                    of: isOfSeveral ? sample.measurement.quantity : nil)
                dropped += 1
            case .run(var run) where dropped < surplus:
                let count = min(run.count, surplus - dropped)
                assert((1...run.count).contains(count))
                scan = nil
                losses.add(
                    Gap(
                        cause: .deviceOverflow, count: count, from: run.timestamp(at: 0),
                        until: run.timestamp(at: count - 1)), of: isOfSeveral ? run.quantity : nil)
                dropped += count
                guard count < run.count else { continue }
                run.removeFirst(count)
                losses.move(to: &kept)
                kept.append(.run(run))
            case .gap(let gap) where dropped < surplus && gap.canMerge:
                losses.add(gap, of: nil)
                dropped += 1
            case .missing(let gap, let quantity) where dropped < surplus && gap.canMerge:
                losses.add(gap, of: quantity)
                dropped += 1
            default:
                // Keeps the event at its place between the losses.
                losses.move(to: &kept)
                scan = nil
                kept.append(event)
            }
        }
        losses.move(to: &kept)
        events = kept
        furtherSamples = kept.reduce(0) { $0 + $1.furtherSamples }
        assert(furtherSamples >= 0 && dropped >= 0)
    }
}

/// The losses between two events that are kept: one gap for each cause and quantity.
private struct Losses {
    private var gaps: [(gap: Gap, quantity: Quantity?)] = []

    mutating func add(_ gap: Gap, of quantity: Quantity?) {
        guard let index = gaps.firstIndex(where: { $0.quantity == quantity && $0.gap.cause == gap.cause }) else {
            return gaps.append((gap, quantity))
        }
        assert(gaps[index].gap.cause == gap.cause, "gaps of two causes are two")
        gaps[index].gap.formUnion(gap)
    }

    mutating func move(to events: inout [DeviceEvent]) {
        for (gap, quantity) in gaps { events.append(quantity.map { .missing(gap, of: $0) } ?? .gap(gap)) }
        gaps.removeAll(keepingCapacity: true)
    }
}

extension Gap {
    /// Whether a gap that lies among lost samples can be merged with others of its cause.
    fileprivate var canMerge: Bool { cause == .deviceOverflow || cause == .deviceLost }
}

extension DeviceEvent {
    fileprivate var furtherSamples: Int { if case .run(let run) = self { run.count - 1 } else { 0 } }

    /// What the samples are of, or the loss.
    fileprivate var quantity: Quantity? {
        switch self {
        case .sample(let sample): sample.measurement.quantity
        case .run(let run): run.quantity
        case .missing(_, let quantity): quantity
        default: nil
        }
    }
}
