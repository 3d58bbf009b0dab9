internal import Delivery
internal import Readings
internal import Varlink

/// A lane's message as bytes in reused buffers, encoded once for all its members, and once for all lanes that send the same sample.
///
/// A part for only some members is encoded when it is needed first.
struct LanePayload {
    /// The reading that `whole` is of, if it is the only one: other lanes that send the same sample can use the same bytes.
    private var encoded: Sample?
    private var resource = ResourceName.location
    private var form = ReadingForm()
    /// The whole message; empty: nobody has needed it yet.
    private(set) var whole = JSONWriter()
    /// The part that was needed last, and which it is: members that joined together get the same.
    private var part = JSONWriter()
    private var partContent: LaneMessage.Content?

    mutating func begin(_ message: LaneMessage, of resource: ResourceName) {
        let sole = message.readings.count == 1 && message.gaps.isEmpty ? message.readings.first : nil
        let isSame = sole.map { isEncoded($0, of: resource, withSatellites: message.hasSatellites) } ?? false
        if !isSame { whole.removeAll() }
        encoded = sole
        self.resource = resource
        // A single reading is never packed, so such bytes are shared with lanes that are not packed.
        form = message.form
        partContent = nil
    }

    // Nearly always it has another number, which is quick to see.
    private func isEncoded(_ reading: Sample, of resource: ResourceName, withSatellites: Bool) -> Bool {
        encoded?.sequence == reading.sequence && encoded == reading && resource == self.resource
            && withSatellites == form.hasSatellites
    }

    /// Calls a function with a member's bytes, without copying them.
    mutating func read<Result>(
        _ content: LaneMessage.Content, of message: LaneMessage, _ look: (Span<UInt8>) -> Result
    ) -> Result {
        if case .whole = content {
            if whole.bytes.isEmpty { Self.encode(message.readings, message.gaps, resource, form, &whole) }
            return look(whole.bytes.span)
        }
        if content != partContent {
            part.removeAll()
            Self.encode(message.readings(in: content), message.gaps(in: content), resource, form, &part)
            partContent = content
        }
        return look(part.bytes.span)
    }

    private static func encode(
        _ readings: SampleList, _ gaps: [Gap], _ resource: ResourceName, _ form: ReadingForm, _ writer: inout JSONWriter
    ) {
        writer.beginReply()
        writer.readings(readings, of: resource, nil, form)
        writer.gaps(gaps, of: resource)
        writer.endReply(continues: true)
    }
}
