internal import Configuration
internal import Delivery
internal import Devices
internal import Service

/// What can be set for the resources of a kind.
struct KindSettings: Equatable, Sendable {
    /// How long a device that nobody uses is kept open.
    var warmGrace = TimeSpan(nanoseconds: Supervisor.usualWarmGraceNanoseconds)
    /// No reading comes faster than this; nil: as fast as the device can.
    var minimumInterval: TimeSpan?
    /// What is granted where a request names no interval; nil: what is usual for the kind.
    var defaultInterval: TimeSpan?

    /// Who may read it: members of one of these; nil: as the row of the kind says.
    var groups: GroupList?

    /// The same for the broker.
    var policy: ResourcePolicy {
        ResourcePolicy(
            warmGraceNanoseconds: warmGrace.nanoseconds,
            intervals: IntervalPolicy(
                minimumNanoseconds: minimumInterval?.nanoseconds, defaultNanoseconds: defaultInterval?.nanoseconds))
    }
}
