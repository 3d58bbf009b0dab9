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
        let (totals, counters) = (resource.core.lanes.totals, broker.catalog.counters(of: resource.index))
        let device = broker.catalog.device(of: resource.index)
        let siblings = device.core.resources
        // A derived resource has no device of its own.
        let isDevice =
            siblings.first === resource && !device.isDerived
            && siblings.allSatisfy { rights.mayRead($0.kind) }
        for family in MetricFamily.all {
            switch family.source {
            case .device(let metrics) where isDevice:
                for metric in metrics(counters) { reply.metric(metric, of: family, name, continues: true) }
            case .resource(let metrics):
                for metric in metrics(resource, totals) { reply.metric(metric, of: family, name, continues: true) }
            case .device, .broker: break
            }
        }
    }

    private func writeBroker(_ now: BootTime, _ reply: inout JSONWriter) {
        let metrics = MetricFamily.all.flatMap { family -> [(metric: Metric, family: MetricFamily)] in
            guard case .broker(let metrics) = family.source else { return [] }
            return metrics(broker, now).map { ($0, family) }
        }
        assert(!metrics.isEmpty, "the last reply must be marked as the last")
        for (index, (metric, family)) in metrics.enumerated() {
            reply.metric(metric, of: family, nil, continues: index < metrics.count - 1)
        }
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

extension JSONWriter {
    /// A reply with a metric of a family, of an object or of the broker.
    fileprivate mutating func metric(_ metric: Metric, of family: MetricFamily, _ object: String?, continues: Bool) {
        beginReply()
        member("name", family.qualifiedName)
        key("value")
        value(metric.value)
        member("object", object)
        if !metric.fields.isEmpty {
            beginObject("fields")
            for field in metric.fields {
                key(escaping: field.name)
                string(field.value)
            }
            endObject()
        }
        endReply(continues: continues)
    }
}
