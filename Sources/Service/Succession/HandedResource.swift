internal import Delivery
internal import Readings
internal import Varlink

/// A resource, as one daemon leaves it to the next.
struct HandedResource: Equatable {
    let name: ResourceName
    let kind: ResourceKind
    /// What its clients will have missed; nil where it has delivered nothing.
    var interruption: Interruption?
    /// The origin of its due times.
    var grid: BootTime?

    init(name: ResourceName, kind: ResourceKind, interruption: Interruption? = nil, grid: BootTime? = nil) {
        self.name = name
        self.kind = kind
        self.interruption = interruption
        self.grid = grid
    }

    init(_ parameters: Parameters) throws(VarlinkError) {
        try parameters.allowOnly("name", "kind", "from", "cause", "grid")
        name = try parameters.resourceName("name")
        kind = try parameters.enumeration("kind", ResourceKind.self)
        grid = try parameters.optionalInstant("grid")
        guard let from = try parameters.optionalInstant("from") else { return }
        interruption = Interruption(from: from, cause: try parameters.enumeration("cause", Gap.Cause.self))
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("name", name.description)
        writer.member("kind", kind.rawValue)
        writer.member("from", interruption?.from.nanoseconds)
        writer.member("cause", interruption?.cause.rawValue)
        writer.member("grid", grid?.nanoseconds)
        writer.endObject()
    }
}
