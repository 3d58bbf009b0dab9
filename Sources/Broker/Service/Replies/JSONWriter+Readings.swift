internal import Delivery
internal import Readings
internal import Varlink

/// How the readings of a request are written, as its grant has it.
struct ReadingForm {
    /// Whether locations have each satellite.
    var hasSatellites = false
    /// Whether values of several samples are packed.
    var isPacked = false
}

extension LaneMessage {
    var form: ReadingForm { ReadingForm(hasSatellites: hasSatellites, isPacked: isPacked) }
}

/// Readings and gaps as the interface has them.
extension JSONWriter {
    /// The key `readings` and the readings of one request, oldest first.
    mutating func readings(
        _ samples: SampleList, of resource: ResourceName, _ label: String? = nil, _ form: ReadingForm = ReadingForm()
    ) {
        guard !samples.isEmpty else { return }
        separate()
        literal("\"readings\":[")
        elements(samples, of: resource, label, form)
        endArray()
    }

    /// The readings of one request, which may have a label, as elements of an array; `rest` writes what else is in an element.
    ///
    /// All values are in the columns of one object, since there may be thousands a second. Each location is an object of its own.
    mutating func elements(
        _ samples: SampleList, of resource: ResourceName, _ label: String?, _ form: ReadingForm = ReadingForm(),
        rest: (inout JSONWriter, Range<Int>) -> Void = { _, _ in }
    ) {
        guard let first = samples.first else { return }
        if case .values(let values) = first.measurement {
            beginReading(first, resource, label)
            self.values(of: values.kind, samples, packed: form.isPacked)
            rest(&self, samples.indices)
            return endObject()
        }
        for index in samples.indices {
            let sample = samples[index]
            beginReading(sample, resource, label)
            switch sample.measurement {
            case .values: assertionFailure("a resource has readings of one form")
            case .location(let location):
                key("location")
                self.location(location, withSatellites: form.hasSatellites)
            case .orientation(let orientation): member("orientation", orientation.rawValue)
            }
            rest(&self, index..<index + 1)
            endObject()
        }
    }

    /// The key `gaps` and gaps of one request.
    mutating func gaps(_ gaps: [Gap], of resource: ResourceName, _ label: String? = nil) {
        guard !gaps.isEmpty else { return }
        beginArray("gaps")
        for gap in gaps { self.gap(gap, of: resource, label) }
        endArray()
    }

    mutating func gap(_ gap: Gap, of resource: ResourceName, _ label: String? = nil) {
        beginObject()
        member("resource", resource.description)
        member("label", label)
        member("cause", gap.cause.rawValue)
        member("count", gap.count.map { Int64($0) })
        member("fromNanoseconds", gap.from.nanoseconds)
        member("untilNanoseconds", gap.until.nanoseconds)
        endObject()
    }

    private mutating func beginReading(_ sample: Sample, _ resource: ResourceName, _ label: String?) {
        separate()
        literal("{\"resource\":")
        string(resource.description)
        member("label", label)
        literal(",\"sequence\":")
        integer(sample.sequence)
        literal(",\"timestampNanoseconds\":")
        integer(sample.timestamp.nanoseconds)
    }

    /// The key `values` and values of a kind, in columns.
    private mutating func values(of kind: Kind, _ samples: SampleList, packed: Bool) {
        let packed = packed && samples.count > 1
        separate()
        literal(packed ? "\"values\":{\"packed\":{" : "\"values\":{\"columns\":{")
        for (channel, name) in kind.row.channels.enumerated() {
            key(name)
            column(channel, of: samples, packed: packed)
        }
        endObject()
        if samples.count > 1 { times(samples, packed: packed) }
        endObject()
    }

    private mutating func column(_ channel: Int, of samples: SampleList, packed: Bool) {
        let (start, count) = (samples.startIndex, samples.count)
        switch (samples.column(ofChannel: channel), packed) {
        case (let (numbers, first, step)?, true): self.packed(numbers, from: first, every: step, count: count)
        case (let (numbers, first, step)?, false): self.numbers(numbers, from: first, every: step, count: count)
        case (nil, true): self.packed(samples.indices.map { samples.number(at: $0, ofChannel: channel) })
        case (nil, false): numbers(count: count) { samples.number(at: start + $0, ofChannel: channel) }
        }
    }

    /// One period if the samples are evenly spaced, else the time of each, or the steps between them if these can be packed.
    private mutating func times(_ samples: SampleList, packed: Bool) {
        if let period = samples.periodNanoseconds { return member("periodNanoseconds", period) }
        if packed, let steps = samples.stepsNanoseconds {
            key("packedStepsNanoseconds")
            self.packed(steps)
        } else {
            key("timestampsNanoseconds")
            integers(samples.timestamps.map(\.nanoseconds))
        }
    }
}
