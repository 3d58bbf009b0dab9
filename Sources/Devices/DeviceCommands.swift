internal import Readings

/// What the loop wants of a device thread; a newer wish replaces an older one.
struct DeviceCommands: Sendable {
    /// What the subscribers need together; nil where nobody asks.
    var demand: Demand?
    /// Somebody wants to know whether the device is there.
    var isProbeWanted = false
    /// The device may have come, gone or changed.
    var isLookWanted = false
    /// An administrator has taken the device away.
    var isReleased = false
    /// The thread is to end.
    var isStopWanted = false
}
