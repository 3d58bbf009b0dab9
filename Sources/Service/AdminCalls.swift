internal import Delivery
internal import Platform
public import Readings
public import Varlink

/// The methods of `io.sensorbroker.Admin`, for root and for the user that the daemon runs as.
public final class AdminCalls: CallHandler {
    private let broker: Broker
    /// What this socket serves.
    public let information = ServiceInformation.sensorbrokerd([.admin])

    /// Answers about a broker.
    public init(_ broker: Broker) { self.broker = broker }

    /// No call here takes time: nothing is owed.
    public func didDrain(_ connection: Connection, now: BootTime) {}

    /// No call here takes time: nothing is left behind.
    public func didClose(_ connection: Connection, now: BootTime) {}

    /// Does what the method says.
    public func answer(
        _ call: Call, from connection: Connection, now: BootTime, into writer: inout JSONWriter
    ) throws(VarlinkError) {
        guard connection.peer.isAdministrator else { throw .permissionDenied }
        switch call.method {
        case "GetStatus": try status(call, now, into: &writer)
        case "DisconnectClient": try disconnect(call, into: &writer)
        default: throw .methodNotImplemented(call.qualifiedMethod)
        }
    }

    private func status(
        _ call: Call, _ now: BootTime, into writer: inout JSONWriter
    ) throws(VarlinkError) {
        try call.parameters.allowOnly()
        broker.refreshUnavailable(now: now)
        writer.beginReply()
        writer.member("version", Version.text)
        writer.member("processId", Int64(ProcessIdentity.processID))
        writer.member("startedNanoseconds", broker.startedAt.nanoseconds)
        writer.key("devices")
        writer.beginArray()
        for resource in broker.resources { writer.device(resource) }
        writer.endArray()
        writer.key("clients")
        writer.beginArray()
        for connection in broker.server.connections {
            writer.client(connection, broker.subscriptions[connection.token], broker.resources)
        }
        writer.endArray()
        writer.endReply()
    }

    private func disconnect(_ call: Call, into writer: inout JSONWriter) throws(VarlinkError) {
        try call.parameters.allowOnly("id")
        let id = try call.parameters.integer("id")
        guard let connection = broker.server.connections.first(where: { Int64($0.serial) == id }) else {
            throw .noSuchClient(id)
        }
        broker.server.close(connection)
        writer.reply()
    }
}
