internal import Readings

/// What the loop wants of a device thread; a newer wish replaces an older one.
struct DeviceCommands: Sendable {
    /// What the subscribers need together; nil where nobody asks.
    var demand: Demand?
    /// For a moment nobody asked, be it that somebody does by now.
    var hasDemandLapsed = false
    /// Somebody wants to know whether the device is there.
    var isProbeWanted = false
    /// The device may have come, gone or changed.
    var isLookWanted = false
    /// An administrator has taken the device away.
    var isReleased = false
    /// How often that has happened.
    var releases = 0
    /// How long the device stays open when nobody asks; nil: as long as it was made to.
    var warmGraceNanoseconds: Int64?
    /// Memory is short: a device that nobody asks for is to be closed at once.
    var isEvictionWanted = false
    /// The driver is to be made anew: its configuration has changed.
    var isRemakeWanted = false
    /// The thread is to end.
    var isStopWanted = false
}
