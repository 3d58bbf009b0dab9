/// What a broker uses at present, to be looked at by tests and the curious.
public struct Usage: Equatable, Sendable {
    /// Connections to the broker.
    public var connections: Int
    /// Distinct requests that are subscribed.
    public var subscriptions: Int
    /// Those of them that nobody listens to, kept for the next one.
    public var unusedSubscriptions: Int
    /// Managers, and others who follow the connection's life.
    public var managers: Int
    /// Running iterations, delegates and property wrappers.
    public var listeners: Int
}
