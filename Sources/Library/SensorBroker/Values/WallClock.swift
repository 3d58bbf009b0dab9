internal import Platform

extension BootTime {
    /// The present instant.
    public static var now: Self { SessionCore.now() }

    /// The instant by the host's wall clock, as the time since 1970-01-01 00:00 UTC.
    ///
    /// All instants are told by the clock as it is set now, so after it was set, instants from before are right too. Between two
    /// calls the clock may be set: the time from one instant to another is `duration(to:)`.
    public var timeSince1970: Duration { .nanoseconds(nanoseconds) + .nanoseconds(WallClock.offsetNanoseconds) }
}

extension Reading {
    /// How long ago it was measured; of a scripted sensor's reading, by the clock of its script.
    public var age: Duration { age(at: clock.virtualNow ?? .now) }

    /// When it was measured, by the wall clock: the time since 1970-01-01 00:00 UTC.
    ///
    /// The clock is the host's or, for a scripted sensor's reading, that of its script.
    public var timeSince1970: Duration { clock.virtualTimeSince1970(timestamp) ?? timestamp.timeSince1970 }
}

/// How far the wall clock is ahead of the boot clock.
struct WallClock {
    /// A smaller difference is what it takes to read two clocks, or their drift; a larger one is a clock that was set.
    private static let toleranceNanoseconds: Int64 = 1_000_000
    private static let present = Locked(WallClock())

    private var offset: Int64?

    /// The present offset.
    static var offsetNanoseconds: Int64 {
        present.withLock { clock in
            // Whoever interrupts this between the two clocks makes the offset too large, so the boot clock is read twice.
            let before = Clock.bootNanoseconds()
            let wall = Clock.realtimeNanoseconds()
            let after = Clock.bootNanoseconds()
            return clock.offset(boot: before + (after - before) / 2, wall: wall, within: (after - before) / 2)
        }
    }

    /// The offset by two clocks that were read at once, but for an uncertainty.
    ///
    /// The offset stays the same unless the clocks have clearly moved apart, so that differences of instants are exact.
    mutating func offset(boot: Int64, wall: Int64, within uncertainty: Int64) -> Int64 {
        let measured = wall - boot
        if let offset, abs(measured - offset) <= Self.toleranceNanoseconds + uncertainty { return offset }
        offset = measured
        return measured
    }
}
