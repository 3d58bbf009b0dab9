internal import BrokerClient

/// What a stream tells beside readings.
enum StreamEvent: Equatable {
    /// It began; this names it to `set`.
    case subscription(String)
    /// These intervals hold from here on.
    case grant(Grant, revision: Int64?)
    /// A resource is, from here on, in this state.
    case resource(Resource)
    /// Readings are missing here.
    case gap(Gap)
    /// It is over, for this reason.
    case ended(String)
}
