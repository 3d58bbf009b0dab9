import Glibc

/// Processor time of this thread for a piece of work, as the median of some repeats.
enum Timing {
    static let repeats = 9

    /// Prints nanoseconds a call as one JSON object; the work returns something, so that it cannot be left out.
    static func report(_ name: String, calls: Int, _ work: (Int) -> Int) {
        var nanoseconds: [Double] = []
        var sink = 0
        for _ in 0..<repeats {
            let start = threadNanoseconds()
            for call in 0..<calls { sink &+= work(call) }
            nanoseconds.append(Double(threadNanoseconds() - start) / Double(calls))
        }
        if sink == .min { print("never") }
        print(#"{"name": "\#(name)", "nanoseconds": \#(nanoseconds.sorted()[repeats / 2])}"#)
    }

    /// Processor time. `clock_gettime(2)`
    private static func threadNanoseconds() -> Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
