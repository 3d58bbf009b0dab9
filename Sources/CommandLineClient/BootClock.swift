internal import Platform

/// Deadlines on CLOCK_BOOTTIME.
enum BootClock {
    /// The instant so many nanoseconds from now.
    static func after(_ nanoseconds: Int64) -> Int64 {
        let (sum, overflow) = Clock.bootNanoseconds().addingReportingOverflow(nanoseconds)
        return overflow ? .max : sum
    }

    /// How long it is until an instant; negative where it has passed.
    static func nanoseconds(until instant: Int64) -> Int64 { instant - Clock.bootNanoseconds() }
}
