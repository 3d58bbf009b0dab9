internal import Delivery
internal import Readings

/// A `Release` that waits until the devices are let go: what its caller starts next may need them.
struct PendingRelease {
    let connection: ConnectionToken
    /// The places of the resources.
    let resources: [Int]
    /// When it is answered in any case, without those that hang.
    let deadline: BootTime
}
