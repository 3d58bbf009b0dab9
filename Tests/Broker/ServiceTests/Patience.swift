import Glibc
import Platform
import Testing

/// How tests wait for other threads: until something has happened, and never without end.
enum Patience {
    /// What has not happened by then never will: no host keeps a thread waiting for two minutes.
    static let nanoseconds: Int64 = 120_000_000_000

    /// Lets other threads run until a condition holds that no descriptor signals.
    static func wait(for condition: String, _ holds: () -> Bool) throws {
        let end = Clock.monotonicNanoseconds() + nanoseconds
        while !holds() {
            try #require(Clock.monotonicNanoseconds() < end, "this has not happened: \(condition)")
            sched_yield()
        }
    }
}

extension SharedWakeEvent {
    /// Whether it was signalled since it was last cleared.
    var isSignalled: Bool { Wait.untilReadable(descriptor, nanoseconds: 0).first }

    /// Waits until it is signalled.
    func wait() throws {
        try #require(Wait.untilReadable(descriptor, nanoseconds: Patience.nanoseconds).first, "nobody signals it")
    }
}
