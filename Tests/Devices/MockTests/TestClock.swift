import Mock
import Readings
import Synchronization

/// A clock that a test moves.
final class TestClock: Sendable {
    private let nanoseconds = Mutex<Int64>(500_000_000_000)

    static let startRealtime: Int64 = 1_700_000_000_000_000_000

    var now: BootTime { nanoseconds.withLock { BootTime(nanoseconds: $0) } }

    func pass(nanoseconds passed: Int64) { nanoseconds.withLock { $0 += passed } }

    func move(to instant: BootTime) { nanoseconds.withLock { $0 = instant.nanoseconds } }

    var clock: MockClock {
        MockClock(
            boot: { self.now }, realtimeNanoseconds: { Self.startRealtime + self.now.nanoseconds - 500_000_000_000 })
    }
}
