public import Varlink

/// A request for one resource.
public struct Request: Hashable, Sendable {
    /// The resource.
    public var resource: String
    /// Distinguishes it from others of its stream, if the resource does not.
    public var label: String?
    /// The interval of readings.
    ///
    /// 0: every sample. Nil: the resource's default.
    public var intervalNanoseconds: Int64?
    /// How long readings may be gathered into one reply.
    public var batchNanoseconds: Int64?
    /// `newest` or `mean`.
    public var filter: String?
    /// The smallest change between readings, in metres or the kind's unit.
    public var minimumChange: Double?
    /// True to receive each satellite with locations.
    public var satellites = false
    /// True to receive values of several samples packed: in half the bytes, with 24 significant bits.
    public var packed = false
    /// The name of another request of the stream, whose readings are to carry what this one measured at their times.
    public var alignTo: String?

    /// Creates a request for a resource at its defaults.
    public init(resource: String) { self.resource = resource }

    /// The request as in the interface; absent options are omitted.
    public var json: JSONValue {
        var object: JSONObject = ["resource": .string(resource)]
        object.member("label", label)
        object.member("intervalNanoseconds", intervalNanoseconds)
        object.member("batchNanoseconds", batchNanoseconds)
        object.member("filter", filter)
        object.member("minimumChange", minimumChange)
        if satellites { object.member("satellites", true) }
        if packed { object.member("packed", true) }
        object.member("alignTo", alignTo)
        return .object(object)
    }
}

/// The names in the broker's interfaces that clients use.
public enum Interface {
    /// The method that lists the resources.
    public static let listResources = broker + "ListResources"
    /// The method that returns one reading.
    public static let read = broker + "Read"
    /// The method that starts a stream.
    public static let subscribe = broker + "Subscribe"
    /// The method that changes a stream.
    public static let modify = broker + "Modify"
    /// The method by which a program is a sensor.
    public static let provide = feed + "Provide"
    /// The method that sends what such a program has measured.
    public static let push = feed + "Push"
    /// The administrator's method that describes devices and clients.
    public static let getStatus = "io.sensorbroker.Admin.GetStatus"
    /// The method that lists the metrics.
    public static let listMetrics = "io.systemd.Metrics.List"
    /// The method that explains the metrics.
    public static let describeMetrics = "io.systemd.Metrics.Describe"

    /// The qualified name of an error of the broker.
    public static func error(_ name: String) -> String { broker + name }

    /// The qualified name of an error that a provider gets.
    public static func feedError(_ name: String) -> String { feed + name }

    private static let broker = "io.sensorbroker.Broker."
    private static let feed = "io.sensorbroker.Feed."
}
