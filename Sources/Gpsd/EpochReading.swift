internal import Readings

/// A whole epoch, ready to leave.
struct EpochReading: Equatable, Sendable {
    var location: Location
    /// When its first report arrived: that is nearest to the instant of the fix, and what jitters least.
    var timestamp: BootTime
}
