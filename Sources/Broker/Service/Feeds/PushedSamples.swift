internal import BrokerClient
internal import Readings
internal import Varlink

/// The samples of one call of `Push`: for each of a provider's resources equally many, of the same times.
struct PushedSamples {
    /// How many times before these were not sent.
    let missing: Int
    let timestamps: [BootTime]
    /// For each time what was measured of each resource, in the provider's order.
    private let measurements: [[Measurement]]

    /// What is beyond is not counted.
    private static let mostMissing: Int64 = 1_000_000_000

    /// Reads the parameters of a call; samples without a time were measured when they arrived.
    init(
        _ parameters: Parameters, of resources: [(name: ResourceName, kind: Kind)], arrived now: BootTime
    ) throws(VarlinkError) {
        try parameters.allowOnly("samples", "missing")
        let missing = try parameters.optionalInteger("missing") ?? 0
        guard missing >= 0 else { throw .invalidParameter("missing") }
        self.missing = Int(min(missing, Self.mostMissing))
        let objects = try parameters.optionalObjects("samples") ?? []
        guard objects.count == resources.count else { throw .invalidParameter("samples") }
        var timestamps: [BootTime]?
        var columns: [[Measurement]] = []
        for resource in resources {
            let name = resource.name.description
            guard let object = objects.first(where: { (try? $0.string("resource")) == name }) else {
                throw .invalidParameter("resource")
            }
            let (times, values) = try Self.column(object, resource.kind, now)
            guard times == timestamps ?? times else { throw .invalidParameter("timestampNanoseconds") }
            timestamps = times
            columns.append(values)
        }
        self.timestamps = timestamps ?? []
        measurements = columns
    }

    var count: Int { timestamps.count }

    /// What was measured of each resource at one of the times.
    func scan(at index: Int) -> [Measurement] { measurements.map { $0[index] } }

    private static func column(
        _ object: Parameters, _ kind: Kind, _ now: BootTime
    ) throws(VarlinkError) -> ([BootTime], [Measurement]) {
        try object.allowOnly("resource", "timestampNanoseconds", "location", "values")
        let given = try object.optionalInteger("timestampNanoseconds")
        if kind.row.form == .location {
            guard object.optionalValue("values") == nil else { throw .invalidParameter("values") }
            let location = try Location(try object.object("location"))
            return ([BootTime(nanoseconds: given ?? now.nanoseconds)], [.location(location)])
        }
        guard object.optionalValue("location") == nil else { throw .invalidParameter("location") }
        let columns = try Columns(try object.object("values"), first: given ?? 0, finite: false)
        guard columns.count > 0, columns.names.count == kind.row.channels.count, let values = columns.values(of: kind)
        else { throw .invalidParameter("columns") }
        var times = columns.timestampsNanoseconds
        // The last one was measured when the call arrived.
        if given == nil, let last = times.last {
            let (shift, isOutOfRange) = now.nanoseconds.subtractingReportingOverflow(last)
            guard !isOutOfRange, times.allSatisfy({ !$0.addingReportingOverflow(shift).overflow }) else {
                throw .invalidParameter("timestampsNanoseconds")
            }
            times = times.map { $0 + shift }
        }
        return (times.map { BootTime(nanoseconds: $0) }, values.map { .values($0) })
    }
}
