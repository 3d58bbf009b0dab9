internal import Delivery
internal import Platform
internal import Readings
internal import Varlink

/// The reply to `GetStatus`, in portions: with a thousand streams of many resources, it takes far longer than a turn
/// may.
///
/// A client with a thousand requests takes several portions, and its sums are those of the lines that were written. The
/// clients are those that were connected when the status was asked for and still are when their turn comes; none appears
/// twice. So the reply is not a snapshot of one instant; when it is read, all of it is out of date anyway.
final class StatusReply: LongReply {
    private let broker: Broker
    private var hasBegun = false
    private var hasWritten = false
    /// The clients that are still to come; the next one is at the end.
    private var rest: [ConnectionToken]
    /// The client whose lines are being written.
    private var current: Lines?

    /// A client, and how far its lines have been written.
    private struct Lines {
        let connection: Connection
        let parts: [Subscription.Part]
        var next = 0
        var hasWritten = false
        var delivered: Int
        var lost: Int
    }

    init(_ broker: Broker) {
        self.broker = broker
        rest = broker.server.clients.all.map(\.token)
        rest.reverse()
    }

    func writePortion(into writer: inout JSONWriter, now: BootTime) -> Bool {
        if !hasBegun { begin(&writer) }
        hasBegun = true
        while writer.bytes.count < Limits.portionBytes {
            if let lines = current {
                current = nil
                write(lines, into: &writer, now)
                continue
            }
            guard let token = rest.popLast() else {
                writer.endArray()
                writer.endReply()
                return true
            }
            guard let connection = broker.server.clients[token] else { continue }
            if hasWritten, writer.bytes.isEmpty { writer.separator() }
            hasWritten = true
            let subscription = broker.streams[token]
            writer.beginClient(connection, subscription)
            current = Lines(
                connection: connection, parts: subscription?.parts ?? [],
                delivered: subscription?.formerlyDelivered ?? 0, lost: subscription?.formerlyLost ?? 0)
        }
        return false
    }

    /// Writes lines of a client, and its end if there is room for all of them.
    private func write(_ lines: consuming Lines, into writer: inout JSONWriter, _ now: BootTime) {
        while lines.next < lines.parts.count {
            guard writer.bytes.count < Limits.portionBytes else { return current = lines }
            let part = lines.parts[lines.next]
            lines.next += 1
            let resource = broker.catalog[part.resource]
            guard let position = resource.core.lanes.position(of: part.client(of: lines.connection)) else { continue }
            let member = resource.core.lanes[position.lane].members[position.member]
            lines.delivered += member.delivered
            lines.lost += member.losses.total
            if lines.hasWritten, writer.bytes.isEmpty { writer.separator() }
            lines.hasWritten = true
            writer.part(part, resource.core.name, member)
        }
        let queued = lines.connection.queuedBytes
        let lag = broker.streams[lines.connection.token].map { stream -> Int64 in
            guard queued > 0 else { return 0 }
            // What is unread was sent before the socket was full.
            let full = lines.connection.blockedSince.map { now.nanoseconds - $0.nanoseconds } ?? 0
            return max(0, full) + broker.streams.granting.span(ofUnread: queued, of: stream)
        }
        writer.endClient(
            queuedBytes: queued, lagNanoseconds: lag, delivered: lines.delivered, lost: lines.lost)
    }

    private func begin(_ writer: inout JSONWriter) {
        writer.beginReply()
        writer.member("version", Version.text)
        writer.member("processId", Int64(ProcessIdentity.processID))
        writer.member("startedNanoseconds", broker.startedAt.nanoseconds)
        writer.beginArray("devices")
        for resource in broker.catalog.resources {
            guard !broker.catalog.device(of: resource.index).isDerived else { continue }
            writer.resource(resource, broker.catalog.counters(of: resource.index))
        }
        writer.endArray()
        writer.beginArray("clients")
    }
}

/// A reply that is too long for one turn of the loop: it is written in portions, each when its user's turn comes and
/// its socket has room.
protocol LongReply: AnyObject {
    /// Writes the next portion; returns whether it was the last.
    func writePortion(into writer: inout JSONWriter, now: BootTime) -> Bool
}
