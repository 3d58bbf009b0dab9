internal import Mock

/// Simulated devices, what they measure, and what goes wrong with them: read from a text that people write.
///
/// The text is of the same form as the configuration's: sections, keys, comments, errors with their lines.
struct Scenario: Sendable {
    /// What it is about, for people.
    var description: String?
    /// What decides all that is random.
    var seed: UInt64 = 1
    /// How many times as fast as the host's time passes; infinite: as fast as possible; nil: nothing is said.
    var tempo: Double?
    /// UTC of the beginning, nanoseconds since 1970; nil: the host's then.
    var utcNanoseconds: Int64?
    /// The devices.
    var plans: [MockDevices.Plan] = []
    /// What happens, in the order of time.
    var events: [EventLine] = []

    init() {}
}
