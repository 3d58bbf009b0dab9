internal import Admission
internal import Delivery
internal import Readings
internal import Varlink

/// The replies to `List`: a metric in each, written over several turns of the loop.
///
/// A client gets the metrics of the resources that it may read, and those of a device if it may read all of its
/// resources: a counter of readings that are sent on change shows when something came near.
final class MetricsReply: LongReply {
    private let broker: Broker
    private let rights: Rights
    /// The resources that are still to come; the next one is at the end.
    private var rest: [ResourceIndex]
    private var writer = MetricWriter()

    init(_ broker: Broker, for rights: Rights) {
        self.broker = broker
        self.rights = rights
        rest = broker.catalog.indices.reversed()
    }

    func writePortion(into reply: inout JSONWriter, now: BootTime) -> Bool {
        while reply.bytes.count < Limits.portionBytes {
            guard let index = rest.popLast() else {
                writeBroker(now, &reply)
                return true
            }
            let resource = broker.catalog[index]
            if rights.mayRead(resource.core.kind) { write(resource, &reply) }
        }
        return false
    }

    private func write(_ resource: OwnedResource, _ reply: inout JSONWriter) {
        let name = resource.core.name.description
        let (totals, counters) = (resource.core.totals, broker.catalog.counters(of: resource.index))
        let device = broker.catalog.device(of: resource.index)
        let siblings = device.core.resources
        // A derived resource has no device of its own.
        let isDevice =
            siblings.first === resource && !device.isDerived
            && siblings.allSatisfy { rights.mayRead($0.kind) }
        for family in MetricFamily.all {
            switch family.source {
            case .device(let metrics) where isDevice:
                for metric in metrics(counters) { writer.write(metric, family, of: name, into: &reply) }
            case .resource(let metrics):
                for metric in metrics(resource, totals) { writer.write(metric, family, of: name, into: &reply) }
            case .device, .broker: break
            }
        }
    }

    private func writeBroker(_ now: BootTime, _ reply: inout JSONWriter) {
        for family in MetricFamily.all {
            guard case .broker(let metrics) = family.source else { continue }
            for metric in metrics(broker, now) { writer.write(metric, family, of: nil, into: &reply) }
        }
        writer.end(&reply)
    }
}

/// The replies to `Describe`: a family in each.
final class MetricFamiliesReply: LongReply {
    private var rest = MetricFamily.all[...]

    func writePortion(into reply: inout JSONWriter, now: BootTime) -> Bool {
        while reply.bytes.count < Limits.portionBytes, let family = rest.popFirst() {
            reply.beginReply()
            reply.member("name", family.qualifiedName)
            reply.member("description", family.help)
            reply.member("type", family.form.rawValue)
            reply.endReply(continues: !rest.isEmpty)
        }
        return rest.isEmpty
    }
}

/// Writes metrics as replies, each when the next one comes, because the last one must be marked as the last.
private struct MetricWriter {
    private var held: (metric: Metric, family: MetricFamily, object: String?)?

    mutating func write(
        _ metric: Metric, _ family: MetricFamily, of object: String?, into reply: inout JSONWriter
    ) {
        writeHeld(into: &reply, continues: true)
        held = (metric, family, object)
    }

    mutating func end(_ reply: inout JSONWriter) { writeHeld(into: &reply, continues: false) }

    private mutating func writeHeld(into reply: inout JSONWriter, continues: Bool) {
        guard let (metric, family, object) = held else { return }
        held = nil
        reply.beginReply()
        reply.member("name", family.qualifiedName)
        switch metric.value {
        case .integer(let value): reply.member("value", value)
        case .number(let value): reply.member("value", value)
        case .text(let text): reply.member("value", text)
        }
        reply.member("object", object)
        if !metric.fields.isEmpty {
            reply.beginObject("fields")
            for field in metric.fields {
                reply.key(escaping: field.name)
                reply.string(field.value)
            }
            reply.endObject()
        }
        reply.endReply(continues: continues)
    }
}
