internal import Motion
internal import Readings

/// The readings of one sensor that no filter has taken yet, oldest first.
struct MotionQueue {
    struct Item {
        var time: BootTime
        var vector: Vector3
    }

    private var items: [Item] = []
    private var next = 0

    /// More than that is a second of the fastest chips, of which nobody has any use: the gyroscope is silent.
    private static let most = 4096

    /// When the oldest and the newest were measured.
    var head: BootTime? { next < items.count ? items[next].time : nil }
    var newest: BootTime? { next < items.count ? items[items.count - 1].time : nil }

    var count: Int { items.count - next }

    mutating func add(_ vector: Vector3, at time: BootTime) {
        items.append(Item(time: time, vector: vector))
        if items.count > 2 * Self.most { items.removeFirst(max(next, Self.most)); next = 0 }
    }

    /// Takes the oldest one, which must be there.
    mutating func take() -> Item {
        defer { next += 1 }
        return items[next]
    }

    mutating func empty() {
        items.removeAll(keepingCapacity: true)
        next = 0
    }

    mutating func tidy() {
        if next == items.count { return empty() }
        items.removeFirst(next)
        next = 0
    }
}
