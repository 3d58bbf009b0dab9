internal import Readings

/// Finds threads of devices that hang in a driver, a library or the kernel.
///
/// A hanging thread reports nothing, so it must be checked: again and again as long as somebody asks for its device, or
/// while it hangs. If nobody asks for any device, nobody is kept waiting and nothing is checked. Pure: time is an
/// argument.
final class HangWatch {
    /// How long a thread may be in its driver.
    let limitNanoseconds: Int64
    /// When to check next; nil while nobody asks for any device.
    private(set) var deadline: BootTime?

    init(limitNanoseconds: Int64) { self.limitNanoseconds = limitNanoseconds }

    /// Threads are checked from now on.
    func begin(_ now: BootTime) { check(now + limitNanoseconds) }

    private func check(_ instant: BootTime) { deadline = BootTime.earlier(deadline, instant) }

    /// Checks threads, given their time in their drivers by `working`; returns for each how long it has hung, nil if it
    /// does not hang.
    func look<Thread>(
        at threads: [Thread], _ now: BootTime, working: (Thread) -> Int64?, isWanted: (Thread) -> Bool
    ) -> [(thread: Thread, hangsNanoseconds: Int64?)] {
        deadline = nil
        return threads.map { thread in
            let worked = working(thread) ?? 0
            if worked >= limitNanoseconds {
                check(now + limitNanoseconds / 2)
                return (thread, worked)
            }
            // The first instant at which it can have hung for so long.
            if isWanted(thread) { check(now + (limitNanoseconds - worked)) }
            return (thread, nil)
        }
    }
}
