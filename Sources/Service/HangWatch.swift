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
    func begin(_ now: BootTime) { deadline = deadline ?? now + limitNanoseconds / 2 }

    /// Checks threads, given their time in their drivers by `working`; returns for each how long it has hung, nil if it
    /// does not hang.
    func look<Thread>(
        at threads: [Thread], _ now: BootTime, working: (Thread) -> Int64?, isWanted: (Thread) -> Bool
    ) -> [(thread: Thread, hangsNanoseconds: Int64?)] {
        deadline = nil
        return threads.map { thread in
            let nanoseconds = working(thread).flatMap { $0 >= limitNanoseconds ? $0 : nil }
            if nanoseconds != nil || isWanted(thread) { begin(now) }
            return (thread, nanoseconds)
        }
    }
}
