/// What always holds, whatever devices and clients do; the raw value is its name in failures.
public enum Invariant: String, CaseIterable, Sendable {
    /// Readings and reported gaps follow the due times: n of them take n intervals, within one device period.
    case exactRate
    /// A due sample is delivered in the turn of its arrival; no due sample is left behind.
    case fresh
    /// Clients of equal or multiple intervals are served in the same turns.
    case sharedTurns
    /// If the device's period is no longer than the interval, every sample is delivered.
    case everySample
    /// When the source falls silent, the newest sample is delivered by its due time, but not while the source
    /// continues.
    case trailing
    /// After the host has slept, each client gets at most one reading from before.
    case oneCatchUp
    /// No reading comes twice or out of order.
    case inOrder
    /// A reading is a sample of the device, unchanged.
    case genuine
    /// Nothing from before the subscription is delivered, except the newest sample at once if it is fresh and
    /// undelivered.
    case firstReading
    /// Delivered and lost readings add up to those that were due; the reported losses of a slow client are the actual
    /// ones.
    case account
    /// A loss of the device is reported once to the clients present at the time, and to nobody else.
    case lossReported
    /// What the device lost is reported, with the number of due readings if that is known.
    case gapReported
    /// The lanes are the distinct shared grants, plus one for each client with a minimum change.
    case lanes
    /// A reply gathers no longer and no more than was granted.
    case batch
    /// A mean is that of its samples, stamped with their mean time, and each sample is in one mean.
    case mean
    /// A reading differs from the last delivered one by the minimum change, and comes at least an interval after it.
    case minimumChange
    /// The device runs at the slowest rate that satisfies the fastest request: faster at once, slower after the dwell.
    case arbitration
    /// Nothing is left to send at the end of a turn, and the stored state does not grow.
    case bounded
    /// Deadlines are in the future, so the loop does not spin.
    case deadline
    /// A resource is idle if nobody asks for it, even if its device runs for another; it starts when somebody asks, is
    /// active before its first reading, and unavailable while its device has nothing of its kind.
    case state
    /// A waiting call gets one answer in time: the resource's first sample after the call, or that there is none.
    case answered
    /// A grant lies within the limits, and equals the request if that does.
    case grant
}
