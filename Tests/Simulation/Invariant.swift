/// What always holds, whatever devices and clients do; the raw value is how a failure names it.
public enum Invariant: String, CaseIterable, Sendable {
    /// Readings and told gaps follow the due times: over n of them n intervals pass, within one device period.
    case exactRate
    /// A sample that is due is handed out in the turn in which it arrived; none that is due stays behind.
    case fresh
    /// Clients of equal or multiple intervals are served in the same turns.
    case sharedTurns
    /// A device with no longer period than the interval has every sample handed out.
    case everySample
    /// When the source falls silent, the newest sample goes out by its due time, and not while the source goes on.
    case trailing
    /// When the host has slept, each client gets one reading of before at most.
    case oneCatchUp
    /// No reading twice, none out of order.
    case inOrder
    /// A reading is a sample of the device, unchanged.
    case genuine
    /// Nothing from before the subscription, save the newest sample at once, where it is fresh and undelivered.
    case firstReading
    /// Delivered and lost make what was due; what is told of the slow client's loss is what was lost.
    case account
    /// The loss of the device is told to those who were there, once, and to nobody else.
    case lossTold
    /// What the device lost is told, with the number that was due where it is known.
    case gapTold
    /// The lanes are the distinct shared grants, and one a client with a minimum change.
    case lanes
    /// A reply gathers no longer and no more than was granted.
    case batch
    /// A mean is that of its samples, stamped at their mean time, each sample in one mean.
    case mean
    /// A reading differs from the one delivered before by the minimum change, after an interval at least.
    case minimumChange
    /// The device runs at the slowest rate that satisfies the fastest wish: faster at once, slower after the dwell.
    case arbitration
    /// Nothing is left to send when a turn ends, and what is kept does not grow.
    case bounded
    /// Time is asked for in the future only, so the loop does not spin.
    case deadline
    /// A resource is idle where nobody asks for it, though its device runs for another; it starts when somebody comes, is
    /// active before its first reading, and unavailable while its device has nothing of its kind.
    case state
    /// A call that waits gets one answer: the first sample of the resource made after it, or that there is none, in time.
    case answered
    /// A grant lies within the limits, and is what was asked for where that does.
    case grant
}
