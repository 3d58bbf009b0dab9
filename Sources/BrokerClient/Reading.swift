public import Readings
public import Varlink

/// A reading, as the broker delivers it: of one kind, and several samples where they are gathered.
public struct Reading: Decoded {
    /// What was measured.
    public enum Content: Equatable, Sendable {
        /// Where the host is, with the object that it came in.
        case location(Location, Parameters)
        /// Numbers for each channel, and rows of them where several samples came together.
        case values(Columns)
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
        } else if let values = try parameters.optionalObject("values") {
            content = .values(try Columns(values.object("columns"), values, first: timestampNanoseconds))
        } else if let orientation = try parameters.optionalString("orientation") {
            content = .orientation(orientation)
        } else {
            content = .unknown
        }
    }

    /// How many readings came together in this one.
    public var sampleCount: Int {
        if case .values(let columns) = content { columns.count } else { 1 }
    }
}
