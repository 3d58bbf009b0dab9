public import Readings

/// Instants by slot, of which the first is known at once, however many there are.
///
/// A heap: no instant is earlier than its parent's, which is at half its place. Where each slot stands in it is kept too, so that
/// any instant can be changed or removed in logarithmic time.
public struct Deadlines: Sendable {
    private struct Entry {
        let slot: Int
        let instant: BootTime
    }

    private var heap: [Entry] = []
    /// The place of each slot in the heap; -1: it has no instant.
    ///
    /// Four bytes, where an optional number takes sixteen: there may be a slot for each client.
    private var places: [Int32] = []

    /// No instants.
    public init() {}

    /// Whether there is none.
    public var isEmpty: Bool { heap.isEmpty }

    /// How many there are.
    public var count: Int { heap.count }

    /// The earliest instant, and its slot; nil: there is none.
    public var first: (slot: Int, instant: BootTime)? { heap.first.map { ($0.slot, $0.instant) } }

    /// The slots that have an instant, in no order.
    var slots: some Sequence<Int> { heap.lazy.map(\.slot) }

    /// Sets the instant of a slot; nil: it has none.
    public mutating func set(_ instant: BootTime?, of slot: Int) {
        guard let instant else { return remove(slot) }
        if slot >= places.count { places.append(contentsOf: repeatElement(-1, count: slot + 1 - places.count)) }
        let entry = Entry(slot: slot, instant: instant)
        if let place = place(of: slot) {
            let isEarlier = instant < heap[place].instant
            if isEarlier { rise(entry, from: place) } else { sink(entry, from: place) }
        } else {
            heap.append(entry)
            rise(entry, from: heap.count - 1)
        }
    }

    /// Removes all.
    public mutating func removeAll() {
        for entry in heap { places[entry.slot] = -1 }
        heap.removeAll(keepingCapacity: true)
    }

    private func place(of slot: Int) -> Int? { places[slot] < 0 ? nil : Int(places[slot]) }

    private mutating func remove(_ slot: Int) {
        guard slot < places.count, let place = place(of: slot) else { return }
        places[slot] = -1
        let last = heap.removeLast()
        guard place < heap.count else { return }
        if place > 0, last.instant < heap[(place - 1) / 2].instant {
            rise(last, from: place)
        } else {
            sink(last, from: place)
        }
    }

    private mutating func rise(_ entry: Entry, from start: Int) {
        var place = start
        while place > 0 {
            let parent = (place - 1) / 2
            guard entry.instant < heap[parent].instant else { break }
            put(heap[parent], at: place)
            place = parent
        }
        put(entry, at: place)
    }

    private mutating func sink(_ entry: Entry, from start: Int) {
        var place = start
        while true {
            var child = 2 * place + 1
            guard child < heap.count else { break }
            if child + 1 < heap.count, heap[child + 1].instant < heap[child].instant { child += 1 }
            guard heap[child].instant < entry.instant else { break }
            put(heap[child], at: place)
            place = child
        }
        put(entry, at: place)
    }

    private mutating func put(_ entry: Entry, at place: Int) {
        heap[place] = entry
        places[entry.slot] = Int32(clamping: place)
    }
}
