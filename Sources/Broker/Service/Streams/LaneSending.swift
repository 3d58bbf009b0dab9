internal import Delivery
internal import Readings
internal import Varlink

/// The way of one message of a lane to each of its members.
///
/// Nearly every member is a connection with one request, and gets the whole message. That is inlined into the loop over the members,
/// together with the member's account (`LaneMessage.send`); what is rare is a call, so that the loop stays short. The connections are
/// an argument, since as a part of this structure, which changes, they would be retained for each member.
struct LaneSending: ~Copyable {
    var payload = LanePayload()
    private let message: LaneMessage
    private let resource: OwnedResource
    private let sink: BrokerSink
    private let now: BootTime

    init(_ message: LaneMessage, of resource: OwnedResource, _ sink: BrokerSink, now: BootTime) {
        self.message = message
        self.resource = resource
        self.sink = sink
        self.now = now
    }

    /// Sends a member its part; returns whether its socket took it, nil if there is no such client.
    @inline(__always)
    mutating func send(
        _ content: LaneMessage.Content, to client: Client, in connections: borrowing ConnectionTable
    ) -> Bool? {
        switch client {
        case .connection(let token, let request):
            return connections.withConnection(token) { connection in
                guard !connection.isBundling, case .whole = content, !payload.whole.bytes.isEmpty else {
                    return send(content, for: request, of: connection)
                }
                return connection.stream(payload.whole.bytes.span, now: now)
            }
        case .derivation(let index):
            derive(content, for: index)
            return true
        }
    }

    @inline(never)
    private func derive(_ content: LaneMessage.Content, for index: DerivationIndex) {
        sink.derive(content, message, of: resource, for: index)
    }

    @inline(never)
    private mutating func send(_ content: LaneMessage.Content, for request: UInt32, of connection: Connection) -> Bool {
        guard connection.isBundling else {
            return payload.read(content, of: message) { connection.stream($0, now: now) }
        }
        return sink.gather(
            message.readings(in: content), message.gaps(in: content), of: resource, request, message.form,
            on: connection, now)
    }
}
