/// The state of a resource.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum ResourceState: Hashable, Codable, Sendable {
    /// Closed, because nobody is subscribed.
    case idle
    /// Kept open for a while, although nobody is subscribed.
    case warm
    /// Being opened, or open and waiting for its first sample.
    case starting
    /// Delivering.
    case active
    /// Open but silent, for the reason given.
    case stale(reason: String)
    /// Missing or failing and being retried, for the reason given.
    case unavailable(reason: String)
    /// Released by an administrator.
    case released

    /// The state's name on the wire.
    public var name: String {
        switch self {
        case .idle: "idle"
        case .warm: "warm"
        case .starting: "starting"
        case .active: "active"
        case .stale: "stale"
        case .unavailable: "unavailable"
        case .released: "released"
        }
    }

    /// The reason as text for people; only stale and unavailable resources have one.
    public var reason: String? {
        switch self {
        case .stale(let reason), .unavailable(let reason): reason
        default: nil
        }
    }
}

extension ResourceState: CustomStringConvertible {
    /// The name, and the reason if there is one: `unavailable: unplugged`.
    public var description: String { reason.map { $0.isEmpty ? name : "\(name): \($0)" } ?? name }
}
