public import Varlink

/// Readings that should have come and did not.
public struct Gap: Decoded {
    /// As it came.
    public let object: JSONObject
    /// Of which resource.
    public let resource: String
    /// Why they are missing, by its name on the wire.
    public let cause: String
    /// How many, where it is known.
    public let count: Int64?
    /// CLOCK_BOOTTIME of the first instant that is not covered.
    public let fromNanoseconds: Int64
    /// CLOCK_BOOTTIME of the last one.
    public let untilNanoseconds: Int64

    /// The gap of an object.
    public init(_ parameters: Parameters) throws(VarlinkError) {
        object = parameters.object
        resource = try parameters.string("resource")
        cause = try parameters.string("cause")
        count = try parameters.optionalInteger("count")
        fromNanoseconds = try parameters.integer("fromNanoseconds")
        untilNanoseconds = try parameters.integer("untilNanoseconds")
    }
}
