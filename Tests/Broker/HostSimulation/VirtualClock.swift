internal import Readings
internal import Synchronization

/// The time of a simulated host, which passes only between events.
final class VirtualClock: Sendable {
    private let instant: Atomic<Int64>

    init(_ start: Int64) { instant = Atomic(start) }

    var nanoseconds: Int64 { instant.load(ordering: .relaxed) }
    var now: BootTime { BootTime(nanoseconds: nanoseconds) }

    func advance(to nanoseconds: Int64) { instant.store(max(nanoseconds, self.nanoseconds), ordering: .relaxed) }
}
