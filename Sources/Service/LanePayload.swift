internal import Delivery
internal import Readings
internal import Varlink

/// A lane's message as bytes, encoded once for all its members, in buffers that are used again and again; and only once for
/// all lanes in which the same sample is due.
///
/// What only some members get is encoded when the first such member turns up.
struct LanePayload {
    /// The one reading that `whole` tells, alone: other lanes in which the same sample is due have the same to say.
    private var told: Sample?
    private var resource = ResourceName.location
    private var satellites = false
    private var isPacked = false
    private var whole = JSONWriter()
    private var readingsOnly = JSONWriter()
    private var gapsOnly = JSONWriter()
    private var own = JSONWriter()
    /// From which reading on `own` tells the readings, where it tells nothing else: who came together gets the same.
    private var ownFirst: Int?

    mutating func begin(_ message: LaneMessage, of resource: ResourceName) {
        let readings = message.readings
        let soleReading = readings.count == 1 && message.gaps.isEmpty ? readings.first : nil
        if told == nil || told != soleReading || resource != self.resource || satellites != message.tellsSatellites {
            whole.removeAll()
        }
        told = soleReading
        self.resource = resource
        satellites = message.tellsSatellites
        // It makes no difference to one reading, so what is told alone is shared with lanes that do not want it.
        isPacked = message.isPacked
        readingsOnly.removeAll()
        gapsOnly.removeAll()
        ownFirst = nil
    }

    /// Hands a member's bytes to its connection; returns whether the socket took them.
    mutating func send(
        _ content: LaneMessage.Content, of message: LaneMessage, on connection: Connection, now: BootTime
    ) -> Bool {
        if case .whole = content {
            encodeWhole(message)
            return connection.stream(whole.bytes.span, now: now)
        }
        return read(content, of: message) { connection.stream($0, now: now) }
    }

    /// Has a look at a member's bytes, which are not copied for it.
    mutating func read<Result>(
        _ content: LaneMessage.Content, of message: LaneMessage, _ look: (Span<UInt8>) -> Result
    ) -> Result {
        switch content {
        case .nothing: return look(Span())
        case .whole:
            encodeWhole(message)
            return look(whole.bytes.span)
        case .readingsOnly:
            Self.encode(message.readings[...], [], resource, (satellites, isPacked), &readingsOnly)
            return look(readingsOnly.bytes.span)
        case .gapsOnly:
            Self.encode([], message.gaps, resource, (satellites, isPacked), &gapsOnly)
            return look(gapsOnly.bytes.span)
        case .own(let first, let gaps):
            if !gaps.isEmpty || first != ownFirst { own.removeAll() }
            ownFirst = gaps.isEmpty ? first : nil
            Self.encode(message.readings(in: content), gaps, resource, (satellites, isPacked), &own)
            return look(own.bytes.span)
        }
    }

    // Asked for each member, so it takes hold of the readings only where they are to be encoded.
    private mutating func encodeWhole(_ message: borrowing LaneMessage) {
        guard whole.bytes.isEmpty else { return }
        Self.encode(message.readings[...], message.gaps, resource, (satellites, isPacked), &whole)
    }

    private static func encode(
        _ readings: ArraySlice<Sample>, _ gaps: [Gap], _ resource: ResourceName,
        _ form: (satellites: Bool, isPacked: Bool), _ writer: inout JSONWriter
    ) {
        guard writer.bytes.isEmpty else { return }
        writer.beginReply()
        writer.readings(readings, of: resource, withSatellites: form.satellites, packed: form.isPacked)
        writer.gaps(gaps, of: resource)
        writer.endReply(continues: true)
    }
}
