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
    /// The key `readings` and the readings of one resource, oldest first.
    ///
    /// All values are in the columns of one object, since there may be thousands a second. Each location is an object of its own.
    /// If requested, values of several samples are packed.
    mutating func readings(
        _ samples: SampleList, of resource: ResourceName, withSatellites: Bool = false, packed: Bool = false
    ) {
        guard !samples.isEmpty else { return }
        separate()
        literal("\"readings\":[")
        elements(samples, of: resource, nil, withSatellites: withSatellites, packed: packed)
        endArray()
    }

    /// The readings of one request, which may have a label, as elements of an array.
    mutating func elements(
        _ samples: SampleList, of resource: ResourceName, _ label: String?, withSatellites: Bool, packed: Bool
    ) {
        guard let first = samples.first else { return }
        switch first.measurement {
        case .values(let values): columns(of: values.kind, samples, first, resource, label, packed: packed)
        case .location, .orientation:
            for sample in samples { reading(sample, of: resource, label, withSatellites: withSatellites) }
        }
    }

    mutating func reading(
        _ sample: Sample, of resource: ResourceName, _ label: String? = nil, withSatellites: Bool = false
    ) {
        switch sample.measurement {
        case .values(let values): columns(of: values.kind, [sample], sample, resource, label)
        case .location(let location):
            beginReading(sample, resource, label)
            key("location")
            self.location(location, withSatellites: withSatellites)
            endObject()
        case .orientation(let orientation):
            beginReading(sample, resource, label)
            member("orientation", orientation.rawValue)
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

    mutating func beginReading(_ sample: Sample, _ resource: ResourceName, _ label: String?) {
        separate()
        literal("{\"resource\":")
        string(resource.description)
        member("label", label)
        literal(",\"sequence\":")
        integer(sample.sequence)
        literal(",\"timestampNanoseconds\":")
        integer(sample.timestamp.nanoseconds)
    }

    private mutating func columns(
        of kind: Kind, _ samples: SampleList, _ first: Sample, _ resource: ResourceName, _ label: String?,
        packed: Bool = false
    ) {
        beginReading(first, resource, label)
        values(of: kind, samples, packed: packed)
        endObject()
    }

    /// The key `values` and values of a kind, in columns.
    mutating func values(of kind: Kind, _ samples: SampleList, packed: Bool = false) {
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
