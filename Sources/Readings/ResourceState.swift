/// How a resource is doing.
public enum ResourceState: Equatable, Sendable {
    /// Closed; nobody asks.
    case idle
    /// Open; nobody asks, but somebody may soon.
    case warm
    /// Being opened, or open and without a first sample.
    case starting
    /// Delivering.
    case active
    /// Open but silent, for the reason given.
    case stale(reason: String)
    /// Missing or failing and being retried, for the reason given.
    case unavailable(reason: String)
    /// Given up by an administrator.
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

    /// Why, for people; only a stale or unavailable resource has a reason.
    public var reason: String? {
        switch self {
        case .stale(let reason), .unavailable(let reason): reason
        default: nil
        }
    }
}
