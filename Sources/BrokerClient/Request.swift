public import Varlink

/// What is asked of one resource.
public struct Request: Hashable, Sendable {
    /// Of which resource.
    public var resource: String
    /// One reading an interval; 0: every sample; nil: the resource's default.
    public var intervalNanoseconds: Int64?
    /// How long readings may be gathered into one reply.
    public var batchNanoseconds: Int64?
    /// `newest` or `mean`.
    public var filter: String?
    /// What moved less than this is left out: metres, or m/s².
    public var minimumChange: Double?
    /// Locations tell each satellite.
    public var satellites = false

    /// A request for a resource at its defaults.
    public init(resource: String) { self.resource = resource }

    /// The request as the interface has it; what is not asked for is left out.
    public var json: JSONValue {
        var object: JSONObject = ["resource": .string(resource)]
        if let intervalNanoseconds { _ = object.append("intervalNanoseconds", .integer(intervalNanoseconds)) }
        if let batchNanoseconds { _ = object.append("batchNanoseconds", .integer(batchNanoseconds)) }
        if let filter { _ = object.append("filter", .string(filter)) }
        if let minimumChange { _ = object.append("minimumChange", .number(minimumChange)) }
        if satellites { _ = object.append("satellites", .bool(true)) }
        return .object(object)
    }
}
