internal import Platform

extension BootTime {
    /// The present instant.
    public static var now: Self { SessionCore.now() }

    /// The instant by the host's wall clock, as the time since 1970-01-01 00:00 UTC.
    ///
    /// All instants are those of the clock as it is set now, so after it was set, instants from before are right too.
    /// Between two calls the clock may be set: the time from one instant to another is `duration(to:)`.
    public var timeSince1970: Duration { .nanoseconds(nanoseconds) + .nanoseconds(WallClockOffset.nanoseconds) }
}

extension Reading {
    /// How long ago it was measured; of a scripted sensor's reading, by the clock of its script.
    public var age: Duration { age(at: clock.virtualNow ?? .now) }

    /// When it was measured, by the wall clock: the time since 1970-01-01 00:00 UTC.
    ///
    /// The clock is the host's or, for a scripted sensor's reading, that of its script.
    public var timeSince1970: Duration { clock.virtualTimeSince1970(timestamp) ?? timestamp.timeSince1970 }
}
