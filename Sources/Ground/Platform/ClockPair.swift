/// One instant, on the host's two clocks.
public struct ClockPair: Equatable, Sendable {
    /// CLOCK_BOOTTIME.
    public let bootNanoseconds: Int64
    /// Since 1970.
    public let utcNanoseconds: Int64

    /// An instant.
    public init(bootNanoseconds: Int64, utcNanoseconds: Int64) {
        self.bootNanoseconds = bootNanoseconds
        self.utcNanoseconds = utcNanoseconds
    }

    /// The present instant.
    public static func now() -> Self { read(boot: Clock.bootNanoseconds, wall: Clock.realtimeNanoseconds) }

    /// How far one clock is ahead of another one now.
    public static func lead(of clock: () -> Int64, over other: () -> Int64) -> Int64 {
        let both = read(boot: clock, wall: other)
        return both.bootNanoseconds &- both.utcNanoseconds
    }

    /// The instant of a look at both clocks.
    ///
    /// What interrupts the program between two looks makes them of two instants: of some tries the quickest counts.
    static func read(boot: () -> Int64, wall: () -> Int64) -> Self {
        let (tries, quickNanoseconds) = (5, Int64(10_000))
        var best = Self(bootNanoseconds: 0, utcNanoseconds: 0)
        var shortest = Int64.max
        for _ in 0..<tries where shortest > quickNanoseconds {
            let before = boot()
            let utc = wall()
            let took = boot() - before
            guard took < shortest else { continue }
            shortest = took
            best = Self(bootNanoseconds: before + took / 2, utcNanoseconds: utc)
        }
        return best
    }
}

/// How far the wall clock is ahead of the boot clock.
///
/// It stays the same unless the clock was set, so that differences of instants are exact.
public struct WallClockOffset: Sendable {
    /// A smaller difference is the drift of the clocks; a larger one is a clock that was set.
    private static let toleranceNanoseconds: Int64 = 1_000_000
    private static let present = Locked(WallClockOffset())

    private var nanoseconds: Int64?

    init() {}

    /// As the clocks of this host are set now.
    public static var nanoseconds: Int64 { present.withLock { $0.take(.now()) } }

    /// As both clocks show.
    mutating func take(_ now: ClockPair) -> Int64 {
        let measured = now.utcNanoseconds - now.bootNanoseconds
        if let nanoseconds, abs(measured - nanoseconds) <= Self.toleranceNanoseconds { return nanoseconds }
        nanoseconds = measured
        return measured
    }
}
