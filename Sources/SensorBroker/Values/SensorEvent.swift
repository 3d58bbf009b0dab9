/// What comes in a stream of a sensor, in order.
public enum SensorEvent<Value: Sendable>: Sendable {
    /// A reading.
    case reading(Reading<Value>)
    /// Readings are missing here.
    case gap(Gap)
    /// From here on, the resource is in this state.
    case state(ResourceState)
    /// From here on, this is the interval.
    case grant(Grant)
    /// The broker is away, for this reason. The stream goes on by itself when it is back, with the gap told.
    case disconnected(SensorError)
}

extension SensorEvent: Equatable where Value: Equatable {}
