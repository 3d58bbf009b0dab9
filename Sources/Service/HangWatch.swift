internal import Readings

/// Finds threads of devices that hang in a driver, a library or the kernel.
///
/// A hanging thread says nothing, so it has to be looked at: again and again as long as somebody asks for its device, or it
/// hangs already. If nobody asks for any, nobody is kept waiting and nothing is looked at. Pure: time is an argument.
final class HangWatch {
    /// How long a thread may be in its driver.
    let limitNanoseconds: Int64
    /// When to look next; nil while nobody asks for any device.
    private(set) var deadline: BootTime?

    init(limitNanoseconds: Int64) { self.limitNanoseconds = limitNanoseconds }

    /// Threads are looked at from now on.
    func begin(_ now: BootTime) { deadline = deadline ?? now + limitNanoseconds / 2 }

    /// Looks at threads, whose time in their drivers `working` tells; returns that of each, nil if it does not hang.
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
