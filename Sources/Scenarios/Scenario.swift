public import Mock

/// Simulated devices, what they measure, and what goes wrong with them: read from a text that people write.
///
/// The text is of the same form as the configuration's: sections, keys, comments, errors with their lines.
public struct Scenario: Sendable {
    /// What it is about, for people.
    public internal(set) var description: String?
    /// What decides all that is random.
    public internal(set) var seed: UInt64 = 1
    /// How many times as fast as the host's time passes; infinite: as fast as possible; nil: nothing is said.
    public internal(set) var tempo: Double?
    /// UTC of the beginning, nanoseconds since 1970; nil: the host's then.
    public internal(set) var utcNanoseconds: Int64?
    /// The devices.
    public internal(set) var plans: [MockDevices.Plan] = []
    /// What happens, in the order of time.
    public internal(set) var events: [EventLine] = []

    init() {}
}
