internal import Delivery
internal import Readings
internal import Varlink

/// A stream, as one daemon leaves it to the next.
struct HandedStream: Equatable {
    let id: StreamID
    let revision: Int
    /// Whether a `Modify` must still be announced.
    var isRevisionPending = false
    var parts: [HandedPart]
    /// Unsent gaps of requests that are no longer part of it.
    var formerGaps: [HandedGaps] = []
    /// Readings delivered and lost of requests that are no longer part of it.
    var formerlyDelivered = 0
    var formerlyLost = 0

    /// The same stream after everything pending has been sent.
    var caughtUp: HandedStream {
        var other = self
        other.isRevisionPending = false
        other.formerGaps = []
        for index in parts.indices {
            other.parts[index].isGrantPending = false
            other.parts[index].account.pendingGaps = []
        }
        return other
    }
}

extension HandedStream {
    init(_ parameters: Parameters) throws(VarlinkError) {
        try parameters.allowOnly(
            "id", "revision", "owesRevision", "parts", "formerGaps", "formerlyDelivered", "formerlyLost")
        guard let id = StreamID(try parameters.string("id")) else { throw .invalidParameter("id") }
        self.id = id
        revision = Int(try parameters.integer("revision", in: 0...(1 << 53)))
        isRevisionPending = try parameters.optionalBool("owesRevision") ?? false
        formerlyDelivered = try parameters.count("formerlyDelivered")
        formerlyLost = try parameters.count("formerlyLost")
        parts = []
        for object in try parameters.objects("parts") { parts.append(try HandedPart(object)) }
        for object in try parameters.optionalObjects("formerGaps") ?? [] { formerGaps.append(try HandedGaps(object)) }
        // Each name once. An empty list is fine: the last request may have been removed.
        guard Set(parts.map(\.request.name)).count == parts.count, parts.count <= Limits.requestsPerSubscription
        else { throw .invalidParameter("parts") }
        for (index, request) in try Request.linked(parts.map(\.request)).enumerated() { parts[index].request = request }
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("id", id.description)
        writer.member("revision", Int64(revision))
        if isRevisionPending { writer.member("owesRevision", true) }
        writer.beginArray("parts")
        for part in parts { part.write(to: &writer) }
        writer.endArray()
        if !formerGaps.isEmpty {
            writer.beginArray("formerGaps")
            for gaps in formerGaps { gaps.write(to: &writer) }
            writer.endArray()
        }
        if formerlyDelivered > 0 { writer.member("formerlyDelivered", Int64(formerlyDelivered)) }
        if formerlyLost > 0 { writer.member("formerlyLost", Int64(formerlyLost)) }
        writer.endObject()
    }
}

/// Gaps of one request that have not been sent to a client yet.
struct HandedGaps: Equatable {
    let name: StreamedName
    let gaps: [Gap]
}

extension HandedGaps {
    init(_ parameters: Parameters) throws(VarlinkError) {
        try parameters.allowOnly("resource", "label", "gaps")
        let resource = try parameters.resourceName("resource")
        name = StreamedName(resource: resource, label: try parameters.optionalString("label"))
        gaps = try parameters.gaps("gaps", of: resource)
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("resource", name.resource.description)
        writer.member("label", name.label)
        writer.gaps(gaps, of: name.resource)
        writer.endObject()
    }
}
