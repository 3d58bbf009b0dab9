internal import Delivery
internal import Readings

/// A `Read` that waits for a sample made after it was called.
struct PendingRead {
    let connection: ConnectionToken
    let since: BootTime
    let deadline: BootTime
    let withSatellites: Bool
}
