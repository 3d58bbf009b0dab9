public import Readings
public import Varlink

/// The methods of `io.sensorbroker.Feed`: programs come through it, and become devices.
public final class FeedCalls: CallHandler {
    private let broker: Broker
    /// The interface that this socket serves.
    public let information = ServiceInformation.sensorbrokerd([.feed])
    /// Programs that provide have connections of their own.
    public let door = Door.providers

    /// Answers calls to a broker.
    public init(_ broker: Broker) { self.broker = broker }

    /// What the program provided is unavailable now.
    public func didClose(_ connection: Connection, now: BootTime) { broker.feeds.end(connection.token, now) }

    /// Answers one call; after `Provide` the connection answers no others.
    public func answer(
        _ call: Call, from connection: Connection, now: BootTime, into writer: inout JSONWriter
    ) throws(VarlinkError) {
        switch call.method {
        case "Provide":
            guard call.mode == .more else { throw .expectedMore }
            try broker.feeds.provide(FeedOffer(call.parameters), by: connection, now)
        case "Push": throw .notProviding
        default: throw .methodNotImplemented(call.qualifiedMethod)
        }
    }
}
