internal import Varlink

/// What the session is to do, in this order.
enum HubAction: Equatable, Sendable {
    /// Opens a connection under a number and sends a call through it.
    case open(Int, Call)
    /// Closes a connection.
    case close(Int)
    /// Tells listeners something.
    case tell([Int], Told)
    /// A listener hears nothing more, for this reason.
    case end(Int, SensorError)
    /// Answers somebody who waits for a reading.
    case answer(Int, Result<Measured, SensorError>)
    /// Answers somebody who waits for the list of resources.
    case list(Int, Result<[Resource], SensorError>)
    /// Tells those who follow the connection's life.
    case announce(LifecycleEvent)
}
