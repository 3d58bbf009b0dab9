import Glibc
import Platform
import Testing

/// How tests wait for other threads: until something has happened, and never without end.
enum Patience {
    /// What has not happened by then never will: no host keeps a thread waiting for two minutes.
    static let nanoseconds: Int64 = 120_000_000_000

    /// Lets other threads run until a condition holds that no descriptor tells.
    static func wait(for condition: String, _ holds: () -> Bool) throws {
        let end = Clock.monotonicNanoseconds() + nanoseconds
        while !holds() {
            try #require(Clock.monotonicNanoseconds() < end, "this has not happened: \(condition)")
            sched_yield()
        }
    }
}

/// A wake-up event that threads can share.
final class Bell: Sendable {
    let event: WakeEvent
    init() throws { event = try WakeEvent() }

    func ring() { event.ring() }

    func clear() { event.clear() }

    /// Whether it has rung since it was last cleared.
    var hasRung: Bool { Wait.untilReadable(event.descriptor, nanoseconds: 0).first }

    /// Waits until it rings.
    func wait() throws {
        try #require(Wait.untilReadable(event.descriptor, nanoseconds: Patience.nanoseconds).first, "nobody rings")
    }
}
