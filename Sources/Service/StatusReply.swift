internal import Delivery
internal import Platform
internal import Readings
internal import Varlink

/// The reply to `GetStatus`, in portions: with a thousand streams of many resources, it takes far longer than a turn
/// may.
///
/// All lines of a client are written at once, so each client's numbers are consistent. The clients are those that were
/// connected when the status was asked for and still are when their turn comes; none appears twice. So the reply is not
/// a snapshot of one instant; when it is read, all of it is out of date anyway.
final class StatusReply: LongReply {
    private let broker: Broker
    private var hasBegun = false
    private var hasWritten = false
    /// The clients that are still to come; the next one is at the end.
    private var rest: [ConnectionToken]

    init(_ broker: Broker) {
        self.broker = broker
        rest = broker.server.connections.map(\.token)
        rest.reverse()
    }

    func writePortion(into writer: inout JSONWriter, now: BootTime) -> Bool {
        if !hasBegun { begin(&writer) }
        hasBegun = true
        while writer.bytes.count < Limits.portionBytes {
            guard let token = rest.popLast() else {
                writer.endArray()
                writer.endReply()
                return true
            }
            guard let connection = broker.server.connection(token) else { continue }
            if hasWritten, writer.bytes.isEmpty { writer.separator() }
            writer.client(connection, broker.streams[token], broker.catalog.resources)
            hasWritten = true
        }
        return false
    }

    private func begin(_ writer: inout JSONWriter) {
        writer.beginReply()
        writer.member("version", Version.text)
        writer.member("processId", Int64(ProcessIdentity.processID))
        writer.member("startedNanoseconds", broker.startedAt.nanoseconds)
        writer.key("devices")
        writer.beginArray()
        for resource in broker.catalog.resources where resource.device.isJournaled { writer.device(resource) }
        writer.endArray()
        writer.key("clients")
        writer.beginArray()
    }
}

/// A reply that is too long for one turn of the loop: it is written in portions, each when its user's turn comes and
/// its socket has room.
protocol LongReply: AnyObject {
    /// Writes the next portion; returns whether it was the last.
    func writePortion(into writer: inout JSONWriter, now: BootTime) -> Bool
}
