public import Readings
public import Varlink

/// A reading, as the broker delivers it: of one kind, and several samples where they are gathered.
public struct Reading: Decoded {
    /// One sample of an acceleration.
    public struct AccelerationSample: Equatable, Sendable {
        /// CLOCK_BOOTTIME.
        public let timestampNanoseconds: Int64
        /// What was measured.
        public let value: Acceleration
    }

    /// What was measured.
    public enum Content: Equatable, Sendable {
        /// Where the host is, with the object that it came in.
        case location(Location, Parameters)
        /// Samples, oldest first.
        case acceleration([AccelerationSample])
        /// Which edge is up.
        case orientation(String)
        /// Of a kind that came after this program.
        case unknown
    }

    /// As it came.
    public let object: JSONObject
    /// Of which resource.
    public let resource: String
    /// Of the first sample, counted by the device.
    public let sequence: Int64
    /// CLOCK_BOOTTIME of the first sample.
    public let timestampNanoseconds: Int64
    /// What was measured.
    public let content: Content

    /// The reading of an object.
    public init(_ parameters: Parameters) throws(VarlinkError) {
        object = parameters.object
        resource = try parameters.string("resource")
        sequence = try parameters.integer("sequence")
        timestampNanoseconds = try parameters.integer("timestampNanoseconds")
        if let location = try parameters.optionalObject("location") {
            content = .location(try Location(location), location)
        } else if let acceleration = try parameters.optionalObject("acceleration") {
            content = .acceleration(try Self.samples(acceleration, first: timestampNanoseconds))
        } else if let orientation = try parameters.optionalString("orientation") {
            content = .orientation(orientation)
        } else {
            content = .unknown
        }
    }

    /// How many readings came together in this one.
    public var sampleCount: Int {
        if case .acceleration(let samples) = content { samples.count } else { 1 }
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
            let value = Acceleration(x: x[index], y: y[index], z: z[index])
            return AccelerationSample(timestampNanoseconds: timestamp, value: value)
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
