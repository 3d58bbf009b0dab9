/// An accelerometer, as /sys, /dev and /proc have it.
struct AccelerometerView: Equatable {
    var id: String
    var name: String
    /// Whether it has a buffer, and so a device node.
    var hasNode = true
    /// Whether the group of the daemon may use the node.
    var nodeIsOpen = true
    /// Whether the group of the daemon may write what a capture sets up.
    var attributesAreOpen = true
    /// Programs other than the daemon that have the node open, as `NAME (process N)`; only root sees those of others.
    var users: [String] = []
}
