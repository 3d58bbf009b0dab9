internal import Readings
internal import Varlink

/// What a client with labelled requests gets at one time, gathered into one message.
///
/// Such a client may have a thousand requests, and the kernel charges a whole block for each message.
final class Bundle {
    /// The labels of its requests, by number.
    private(set) var labels: [UInt32: String] = [:]
    /// Whether a message that was full has gone out, and what belongs with it may follow.
    private(set) var isSplit = false
    private var readings = JSONWriter()
    private var gaps = JSONWriter()

    /// Whether something has been gathered that must be sent.
    var isGathering: Bool { !isEmpty || isSplit }

    /// Whether there are requests with labels, or what was gathered for them has not been sent.
    var isNeeded: Bool { !labels.isEmpty || isGathering }

    private var isEmpty: Bool { readings.bytes.isEmpty && gaps.bytes.isEmpty }

    var isFull: Bool { readings.bytes.count + gaps.bytes.count >= Limits.bundleBytes }

    /// A request with a label, by its number, begins; nil: it ends.
    func setLabel(_ label: String?, of request: UInt32) {
        assert(request > 0, "requests without labels have no number")
        labels[request] = label
    }

    func add(
        _ samples: SampleList, _ missing: [Gap], of resource: ResourceName, request: UInt32, _ form: ReadingForm
    ) {
        let label = labels[request]
        readings.elements(samples, of: resource, label, form)
        for gap in missing { gaps.gap(gap, of: resource, label) }
    }

    /// The message with all that was added; if it goes out because it is full, more may follow that belongs with it.
    func take(isLast: Bool) -> [UInt8] {
        isSplit = !isLast
        guard !isEmpty else { return [] }
        return JSONWriter.reply(capacity: readings.bytes.count + gaps.bytes.count + 64, continues: true) { writer in
            Self.write(&readings, as: "readings", &writer)
            Self.write(&gaps, as: "gaps", &writer)
        }
    }

    private static func write(_ elements: inout JSONWriter, as key: StaticString, _ writer: inout JSONWriter) {
        guard !elements.bytes.isEmpty else { return }
        writer.key(key)
        writer.beginArray()
        writer.raw(elements.bytes)
        writer.endArray()
        elements.removeAll()
    }
}
