/// What happens to a program's connection with its broker, and to the broker's resources.
public enum LifecycleEvent: Equatable, Sendable {
    /// The broker answers.
    case connected
    /// The connection is gone, or could not be made.
    case disconnected(SensorError)
    /// The next try comes after this time; tries are counted from 1.
    case reconnecting(after: Duration, attempt: Int)
    /// The broker streams this request again, after it was away; the stream itself tells the gap.
    case subscriptionRenewed(SensorRequest)
    /// A resource is doing otherwise, or is seen for the first time.
    case resource(Resource)
    /// The host is short of memory: so many unused subscriptions were given up.
    case memoryPressure(released: Int)
    /// The broker stops, in order.
    case brokerShutDown
    /// This user may no longer talk to the broker.
    case permissionLost(SensorError)
    /// Whoever listens here was too slow: so many of the oldest events were dropped.
    case missed(Int)
}
