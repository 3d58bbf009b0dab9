internal import Delivery
internal import Mock

/// One event of a scenario; an event that is impossible when its turn comes is skipped, so that any part of a scenario
/// is a scenario.
enum Step: Equatable, Sendable {
    /// Time passes.
    case run(Int64)
    case join(client: Client, Ask)
    case modify(client: Client, Ask)
    case leave(client: Client)
    /// The client reads nothing more until it wakes.
    case sleep(client: Client)
    case wake(client: Client)
    /// A call waits for one sample.
    case read
    /// A fault of the device, for this long, in the words of scenarios and of faults on demand.
    case fault(Fault, Int64)
    /// The host sleeps for this long: no sample is made, and no timer fires.
    case suspend(Int64)
    /// An administrator releases the device for this long.
    case release(Int64)
}
