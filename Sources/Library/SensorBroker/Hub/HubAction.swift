internal import Varlink

/// An action that the session carries out, in order.
enum HubAction: Equatable, Sendable {
    /// Opens a connection under a name and sends a call through it.
    case open(ConnectionID, Call)
    /// Closes a connection.
    case close(ConnectionID)
    /// Sends something to listeners.
    case send([ListenerID], ListenerMessage)
    /// Ends a listener with this error.
    case end(ListenerID, SensorError)
    /// Answers a waiting reader.
    case answer(ReaderID, Result<Measured, SensorError>)
    /// Answers a waiter for the list of resources.
    case list(ListerID, Result<[Resource], SensorError>)
    /// Sends a lifecycle event to its followers.
    case announce(LifecycleEvent)
}

/// The work that a hub leaves to its session, in order.
struct HubActions {
    private var list: [HubAction] = []

    mutating func append(_ action: HubAction) { list.append(action) }

    /// Sends something to some listeners, if there are any.
    mutating func send(_ message: ListenerMessage, to listeners: some Collection<ListenerID>) {
        if !listeners.isEmpty { list.append(.send(listeners.sorted(), message)) }
    }

    mutating func announce(_ event: LifecycleEvent) { list.append(.announce(event)) }

    /// Removes and returns all of it.
    mutating func take() -> [HubAction] {
        defer { list = [] }
        return list
    }
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
