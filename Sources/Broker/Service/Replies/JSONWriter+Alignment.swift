internal import Delivery
internal import Readings
internal import Varlink

/// Aligned readings as the interface has them.
extension JSONWriter {
    /// The keys `readings` and `gaps`, of a lead and its companions.
    mutating func aligned(
        _ ready: Alignment.Ready, _ lead: StreamedName, _ companions: [StreamedName],
        _ form: ReadingForm
    ) {
        if !ready.readings.isEmpty {
            beginArray("readings")
            elements(ready.readings, of: lead.resource, lead.label, form) { writer, range in
                writer.beginArray("aligned")
                for (index, name) in companions.enumerated() { writer.aligned(ready.values[index][range], name) }
                writer.endArray()
            }
            endArray()
        }
        guard !ready.losses.isEmpty else { return }
        beginArray("gaps")
        for loss in ready.losses {
            let name = loss.companion.map { companions[$0] } ?? lead
            gap(loss.gap, of: name.resource, name.label)
        }
        endArray()
    }

    private mutating func aligned(_ values: ArraySlice<Alignment.Value>, _ companion: StreamedName) {
        beginObject()
        member("resource", companion.resource.description)
        member("label", companion.label)
        let isInterpolated = values.contains { if case .interpolated = $0 { true } else { false } }
        let known = values.compactMap(\.measurement)
        member("alignment", isInterpolated ? "interpolated" : known.isEmpty ? "absent" : "exact")
        if let first = known.first {
            beginObject("columns")
            switch first {
            case .values(let some):
                for (channel, name) in some.kind.row.channels.enumerated() {
                    column(name, values) { $0.number(ofChannel: channel) }
                }
            case .location: for field in LocationField.all where field.words.isEmpty { column(of: field, values) }
            case .orientation: assertionFailure("there is nothing between two orientations")
            }
            endObject()
        }
        endObject()
    }

    /// A field that no location knows has no column.
    private mutating func column(of field: LocationField, _ values: ArraySlice<Alignment.Value>) {
        let number = { (measurement: Measurement) -> Double? in
            if case .location(let location) = measurement { field.value(of: location) } else { nil }
        }
        guard values.contains(where: { $0.measurement.flatMap(number) != nil }) else { return }
        column(field.key, values, number)
    }

    private mutating func column(
        _ name: StaticString, _ values: ArraySlice<Alignment.Value>, _ number: (Measurement) -> Double?
    ) {
        key(name)
        beginArray()
        for value in values {
            if let value = value.measurement.flatMap(number) { self.number(value) } else { null() }
        }
        endArray()
    }
}
