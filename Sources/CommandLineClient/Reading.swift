internal import Varlink

/// A reading, as the broker delivers it: of one kind, and several samples where they are gathered.
struct Reading: Equatable {
    /// One sample of an acceleration, m/s².
    struct AccelerationSample: Equatable {
        let timestampNanoseconds: Int64
        let x: Double
        let y: Double
        let z: Double
    }

    /// What was measured.
    enum Content: Equatable {
        case location(Parameters)
        case acceleration([AccelerationSample])
        /// Which edge is up.
        case orientation(String)
        /// Of a kind that came after this program.
        case unknown
    }

    /// As it came.
    let object: JSONObject
    let resource: String
    let sequence: Int64
    let timestampNanoseconds: Int64
    let content: Content

    init(_ parameters: Parameters) throws(VarlinkError) {
        object = parameters.object
        resource = try parameters.string("resource")
        sequence = try parameters.integer("sequence")
        timestampNanoseconds = try parameters.integer("timestampNanoseconds")
        if let location = try parameters.optionalObject("location") {
            content = .location(location)
        } else if let acceleration = try parameters.optionalObject("acceleration") {
            content = .acceleration(try Self.samples(acceleration, first: timestampNanoseconds))
        } else if let orientation = try parameters.optionalString("orientation") {
            content = .orientation(orientation)
        } else {
            content = .unknown
        }
    }

    /// How many readings came together in this one.
    var sampleCount: Int {
        if case .acceleration(let samples) = content { samples.count } else { 1 }
    }

    static func all(_ parameters: [Parameters]) throws(VarlinkError) -> [Self] {
        try parameters.map { element throws(VarlinkError) in try Self(element) }
    }

    private static func samples(
        _ columns: Parameters, first: Int64
    ) throws(VarlinkError) -> [AccelerationSample] {
        let x = try columns.numbers("x")
        let y = try columns.numbers("y")
        let z = try columns.numbers("z")
        guard y.count == x.count, z.count == x.count else { throw .invalidParameter("acceleration") }
        let period = try columns.optionalInteger("periodNanoseconds") ?? 0
        let stamps = try columns.optionalArray("timestampsNanoseconds") ?? []
        return x.indices.map { index in
            var timestamp = first &+ Int64(index) &* period
            if index < stamps.count, case .integer(let stamp) = stamps[index] { timestamp = stamp }
            return AccelerationSample(timestampNanoseconds: timestamp, x: x[index], y: y[index], z: z[index])
        }
    }
}

extension Parameters {
    fileprivate func numbers(_ name: String) throws(VarlinkError) -> [Double] {
        try array(name).map { element throws(VarlinkError) in
            switch element {
            case .number(let value): value
            case .integer(let value): Double(value)
            default: throw .invalidParameter(name)
            }
        }
    }
}
