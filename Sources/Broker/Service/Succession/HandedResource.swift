internal import Delivery
internal import Readings
internal import Varlink

/// A resource, as one daemon leaves it to the next.
struct HandedResource: Equatable {
    let name: ResourceName
    let kind: Kind
    /// What the resource's clients will have missed; nil if it has delivered nothing.
    var interruption: Interruption?
    /// The origin of its due times.
    var grid: BootTime?
    var periodNanoseconds: Int64?
}

extension HandedResource {
    init(_ core: borrowing Resource) {
        self.init(name: core.name, kind: core.kind)
        interruption = core.loss ?? core.newest.map { Interruption(from: $0.timestamp, cause: .restarted) }
        grid = core.grid
        periodNanoseconds = core.pace.periodNanoseconds
    }

    init(_ parameters: Parameters) throws(VarlinkError) {
        try parameters.allowOnly("name", "kind", "from", "cause", "grid", "period")
        name = try parameters.resourceName("name")
        kind = try parameters.kind("kind")
        grid = try parameters.optionalInstant("grid")
        periodNanoseconds = try parameters.optionalInteger("period", in: 0...(1 << 60))
        guard let from = try parameters.optionalInstant("from") else { return }
        interruption = Interruption(from: from, cause: try parameters.enumeration("cause", Gap.Cause.self))
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("name", name.description)
        writer.member("kind", kind.wire)
        writer.member("from", interruption?.from.nanoseconds)
        writer.member("cause", interruption?.cause.rawValue)
        writer.member("grid", grid?.nanoseconds)
        writer.member("period", periodNanoseconds)
        writer.endObject()
    }
}
