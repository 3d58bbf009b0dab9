internal import Varlink

/// An action that the session carries out, in order.
enum HubAction: Equatable, Sendable {
    /// Opens a connection under a number and sends a call through it.
    case open(Int, Call)
    /// Closes a connection.
    case close(Int)
    /// Sends something to listeners.
    case send([Int], ListenerMessage)
    /// Ends a listener with this error.
    case end(Int, SensorError)
    /// Answers a waiting reader.
    case answer(Int, Result<Measured, SensorError>)
    /// Answers a waiter for the list of resources.
    case list(Int, Result<[Resource], SensorError>)
    /// Sends a lifecycle event to its followers.
    case announce(LifecycleEvent)
}

/// A message to a listener.
enum ListenerMessage: Equatable, Sendable {
    /// What came together, oldest first; never empty.
    case measured([Measured])
    case gap(Gap)
    case state(ResourceState)
    case grant(Grant)
    case disconnected(SensorError)
    case refused(SensorError)
}
