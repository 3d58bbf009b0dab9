package import SensorValues

/// How a device was turned lately: what another sensor measured may come late, and is then seen as the device was at that time.
///
/// It has memory on the heap, of a fixed size, and is for those who put samples in order for a filter.
package struct RotationHistory {
    private struct Entry {
        var time: BootTime
        var rotation: Quaternion
    }

    private var entries: [Entry] = []
    private var newest = 0
    private var present: Entry?

    private static let capacity = 256
    /// Of faster gyroscopes, not each rate is kept.
    private static let leastNanoseconds: Int64 = 5_000_000

    package init() {}

    /// Takes the rotation into a frame that does not turn, at a time that is later than all before.
    package mutating func add(_ rotation: Quaternion, at time: BootTime) {
        assert(present.map { $0.time < time } ?? true, "rates come in order of time")
        let entry = Entry(time: time, rotation: rotation)
        present = entry
        guard !entries.isEmpty else { return entries = [entry] }
        guard time - entries[newest].time >= Self.leastNanoseconds else { return }
        newest = (newest + 1) % Self.capacity
        if newest == entries.count { entries.append(entry) } else { entries[newest] = entry }
    }

    /// Another start: what was before has nothing to do with it.
    package mutating func forget() {
        entries.removeAll(keepingCapacity: true)
        (newest, present) = (0, nil)
    }

    /// A vector along the axes as they were at a time, along those of now; nil if it is not known how the device was turned then.
    package func vector(_ vector: Vector3, since time: BootTime) -> Vector3? {
        guard let present, let then = rotation(at: time) else { return nil }
        return present.rotation.inverse.turn(then.turn(vector))
    }

    private func rotation(at time: BootTime) -> Quaternion? {
        guard var later = present, time <= later.time else { return nil }
        for age in entries.indices {
            let entry = entries[(newest - age + entries.count) % entries.count]
            guard entry.time <= time else {
                later = entry
                continue
            }
            guard later.time > entry.time else { return entry.rotation }
            let part = Double(time - entry.time) / Double(later.time - entry.time)
            return entry.rotation.towards(later.rotation, by: part)
        }
        return nil
    }
}

extension Quaternion {
    /// What lies between two rotations that are close to each other.
    fileprivate func towards(_ other: Self, by part: Double) -> Self {
        let sign = w * other.w + x * other.x + y * other.y + z * other.z < 0 ? -part : part
        let rest = 1 - part
        return Self(
            w: w * rest + other.w * sign, x: x * rest + other.x * sign, y: y * rest + other.y * sign,
            z: z * rest + other.z * sign
        ).normalized
    }
}
