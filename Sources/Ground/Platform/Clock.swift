internal import CLinux
internal import Glibc

/// The clocks of the host, in nanoseconds.
public enum Clock {
    /// Nanoseconds since the host started, suspend included: the clock of samples and schedules. `clock_gettime(2)`
    ///
    /// It is ahead of the host's clock while `VirtualTime` skips idle time.
    public static func bootNanoseconds() -> Int64 { read(CLOCK_BOOTTIME) + VirtualTime.skippedNanoseconds }

    /// The host's own clock, without the time that `VirtualTime` skipped.
    static func hostBootNanoseconds() -> Int64 { read(CLOCK_BOOTTIME) }

    /// Nanoseconds since 1970, to show to people only: this clock can step. `clock_gettime(2)`
    public static func realtimeNanoseconds() -> Int64 { read(CLOCK_REALTIME) + VirtualTime.skippedNanoseconds }

    /// Nanoseconds of CLOCK_MONOTONIC, to translate a device's timestamps; it stops while the host sleeps.
    /// `clock_gettime(2)`
    public static func monotonicNanoseconds() -> Int64 { read(CLOCK_MONOTONIC) }

    /// Whether the clock of people follows a reference, such as a time server; nil: that may not be asked. `adjtimex(2)`
    public static var followsReference: Bool? {
        let answer = clinux_is_synchronized()
        return answer < 0 ? nil : answer == 1
    }

    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
