public import Readings

/// Instants by slot, of which the first is known at once, however many there are.
///
/// A heap: no instant is earlier than its parent's, which is at half its position. Where each slot stands in it is kept too, so that
/// any instant can be changed or removed in logarithmic time.
public struct Deadlines: Sendable {
    private struct Entry {
        var slot: Int
        let instant: BootTime
    }

    private var heap: [Entry] = []
    /// The position of each slot in the heap; -1: it has no instant.
    ///
    /// Four bytes, where an optional number takes sixteen: there may be a slot for each client.
    private var positions: [Int32] = []

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
        if slot >= positions.count {
            positions.append(contentsOf: repeatElement(-1, count: slot + 1 - positions.count))
        }
        let entry = Entry(slot: slot, instant: instant)
        if let position = position(of: slot) {
            let isEarlier = instant < heap[position].instant
            if isEarlier { rise(entry, from: position) } else { sink(entry, from: position) }
        } else {
            heap.append(entry)
            rise(entry, from: heap.count - 1)
        }
    }

    /// Removes all.
    public mutating func removeAll() {
        for entry in heap { positions[entry.slot] = -1 }
        heap.removeAll(keepingCapacity: true)
    }

    /// Some slots, given in order, are no more; those behind them have lower numbers now.
    mutating func close(up slots: [Int]) {
        guard let first = slots.first, first < positions.count else { return }
        for slot in slots { remove(slot) }
        var gone = 0
        for slot in first..<positions.count {
            if gone < slots.count, slots[gone] == slot {
                gone += 1
            } else {
                let position = positions[slot]
                positions[slot - gone] = position
                if position >= 0 { heap[Int(position)].slot = slot - gone }
            }
        }
        positions.removeLast(gone)
    }

    private func position(of slot: Int) -> Int? { positions[slot] < 0 ? nil : Int(positions[slot]) }

    private mutating func remove(_ slot: Int) {
        guard slot < positions.count, let position = position(of: slot) else { return }
        positions[slot] = -1
        let last = heap.removeLast()
        guard position < heap.count else { return }
        if position > 0, last.instant < heap[(position - 1) / 2].instant {
            rise(last, from: position)
        } else {
            sink(last, from: position)
        }
    }

    private mutating func rise(_ entry: Entry, from start: Int) {
        var position = start
        while position > 0 {
            let parent = (position - 1) / 2
            guard entry.instant < heap[parent].instant else { break }
            put(heap[parent], at: position)
            position = parent
        }
        put(entry, at: position)
    }

    private mutating func sink(_ entry: Entry, from start: Int) {
        var position = start
        while true {
            var child = 2 * position + 1
            guard child < heap.count else { break }
            if child + 1 < heap.count, heap[child + 1].instant < heap[child].instant { child += 1 }
            guard heap[child].instant < entry.instant else { break }
            put(heap[child], at: position)
            position = child
        }
        put(entry, at: position)
    }

    private mutating func put(_ entry: Entry, at position: Int) {
        heap[position] = entry
        positions[entry.slot] = Int32(clamping: position)
    }
}
