public import Varlink

/// A reply in a running subscription.
public struct Update: Decoded {
    /// The name of the subscription; in the first reply.
    public let subscription: String?
    /// The revision that holds from here on.
    public let revision: Int64?
    /// The grants that hold from here on.
    public let grants: [Grant]
    /// Resources that changed their state here.
    public let resources: [Resource]
    /// Readings that are missing here.
    public let gaps: [Gap]
    /// The readings, oldest first.
    public let readings: [Reading]
    /// Why the stream ended; in the last reply.
    public let ended: String?

    /// Parses the update of a reply.
    public init(_ parameters: Parameters) throws(VarlinkError) {
        subscription = try parameters.optionalString("subscription")
        revision = try parameters.optionalInteger("revision")
        grants = try Grant.all(parameters.optionalObjects("grants") ?? [])
        resources = try Resource.all(parameters.optionalObjects("resources") ?? [])
        gaps = try Gap.all(parameters.optionalObjects("gaps") ?? [])
        readings = try Reading.all(parameters.optionalObjects("readings") ?? [])
        ended = try parameters.optionalString("ended")
    }
}

/// Readings that the client should have received but did not.
public struct Gap: Decoded {
    /// The object as received.
    public let object: JSONObject
    /// The resource.
    public let resource: String
    /// The label of the request, if it has one.
    public let label: String?
    /// The cause, by its name on the wire.
    public let cause: String
    /// How many are missing, if that is known.
    public let count: Int64?
    /// CLOCK_BOOTTIME of the first instant that is missing.
    public let fromNanoseconds: Int64
    /// CLOCK_BOOTTIME of the last instant that is missing.
    public let untilNanoseconds: Int64

    /// A gap that a client reports itself.
    public init(_ resource: String, cause: String, count: Int64? = nil, from: Int64, until: Int64) {
        var object: JSONObject = ["resource": .string(resource), "cause": .string(cause)]
        object.member("count", count)
        object.member("fromNanoseconds", from)
        object.member("untilNanoseconds", until)
        (self.object, self.resource, label, self.cause, self.count) = (object, resource, nil, cause, count)
        (fromNanoseconds, untilNanoseconds) = (from, until)
    }

    /// Parses the gap of an object.
    public init(_ parameters: Parameters) throws(VarlinkError) {
        object = parameters.object
        resource = try parameters.string("resource")
        label = try parameters.optionalString("label")
        cause = try parameters.string("cause")
        count = try parameters.optionalInteger("count")
        fromNanoseconds = try parameters.integer("fromNanoseconds")
        untilNanoseconds = try parameters.integer("untilNanoseconds")
    }
}

/// The broker's grant for a request.
public struct Grant: Decoded {
    /// The object as received.
    public let object: JSONObject
    /// The resource.
    public let resource: String
    /// The label of the request, if it has one.
    public let label: String?
    /// The interval of readings; 0: every sample.
    public let intervalNanoseconds: Int64
    /// How long readings may be gathered into one reply.
    public let batchNanoseconds: Int64
    /// The interval of the device, if it is known.
    public let deviceIntervalNanoseconds: Int64?

    /// Parses the grant of an object.
    public init(_ parameters: Parameters) throws(VarlinkError) {
        object = parameters.object
        resource = try parameters.string("resource")
        label = try parameters.optionalString("label")
        intervalNanoseconds = try parameters.integer("intervalNanoseconds")
        batchNanoseconds = try parameters.integer("batchNanoseconds")
        deviceIntervalNanoseconds = try parameters.optionalInteger("deviceIntervalNanoseconds")
    }
}
