/// How to get samples out of a device: through its buffer wherever that can work, else by asking it again and again.
///
/// Asking costs several calls a sample, samples at moments of our own and may mix two measurements, so it is the last rung.
/// Over the network the buffer is left as well where a refill takes long: libiio cannot tell a slow sensor from a dead iiod,
/// and after its time-out the connection is of no more use. A quarter of a second keeps clear of the half second that
/// the iiod waits.
enum CapturePlan: Equatable {
    case buffered
    case polled(Reason)

    /// Why a device is asked for each sample; the raw value is for people.
    enum Reason: String {
        case noBuffer = "it has no buffer"
        case noTrigger = "nothing fills its buffer"
        case refused = "its buffer cannot be started"
        case silent = "its buffer delivered nothing"
        case slow = "too slow for a buffer over the network"
    }

    static let longestNetworkRefillNanoseconds: Int64 = 250_000_000

    /// The plan for a device with a buffer, at an interval.
    init(isNetwork: Bool, intervalNanoseconds: Int64) {
        self = isNetwork && intervalNanoseconds > Self.longestNetworkRefillNanoseconds ? .polled(.slow) : .buffered
    }

    /// The latency that a buffer is sized for.
    ///
    /// A refill over the network is a round trip of a millisecond or more: one for each sample would not keep up at 1 kHz.
    static func latency(_ nanoseconds: Int64, isNetwork: Bool) -> Int64 {
        isNetwork ? nanoseconds.clamped(to: 5_000_000...longestNetworkRefillNanoseconds) : nanoseconds
    }
}
