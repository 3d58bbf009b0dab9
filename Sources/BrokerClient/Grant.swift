public import Varlink

/// What the broker made of a request.
public struct Grant: Decoded {
    /// As it came.
    public let object: JSONObject
    /// Of which resource.
    public let resource: String
    /// One reading an interval; 0: every sample.
    public let intervalNanoseconds: Int64
    /// How long readings may be gathered into one reply.
    public let batchNanoseconds: Int64
    /// What the device runs at, where it is known.
    public let deviceIntervalNanoseconds: Int64?

    /// The grant of an object.
    public init(_ parameters: Parameters) throws(VarlinkError) {
        object = parameters.object
        resource = try parameters.string("resource")
        intervalNanoseconds = try parameters.integer("intervalNanoseconds")
        batchNanoseconds = try parameters.integer("batchNanoseconds")
        deviceIntervalNanoseconds = try parameters.optionalInteger("deviceIntervalNanoseconds")
    }
}
