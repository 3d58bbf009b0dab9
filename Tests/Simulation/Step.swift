internal import Delivery
internal import Mock

/// One thing that happens in a scenario; what cannot happen when its turn comes is left out, so that any part of a
/// scenario is one.
enum Step: Equatable, Sendable {
    /// Time passes.
    case run(Int64)
    case join(client: Client, Ask)
    case modify(client: Client, Ask)
    case leave(client: Client)
    /// The client reads no more until it wakes.
    case sleep(client: Client)
    case wake(client: Client)
    /// A call waits for one sample.
    case read
    /// Something goes wrong with the device, for so long: the words are those of scenarios and of faults on demand.
    case fault(Fault, Int64)
    /// The host sleeps for so long: no sample is made, and nobody's timer goes off.
    case suspend(Int64)
    /// An administrator takes the device for so long.
    case release(Int64)
}
