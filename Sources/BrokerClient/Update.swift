public import Varlink

/// One reply of a running Subscribe.
public struct Update: Decoded {
    /// What the subscription is called; in the first reply.
    public let subscription: String?
    /// Which of its versions holds from here on.
    public let revision: Int64?
    /// What is granted from here on.
    public let grants: [Grant]
    /// Resources that are doing otherwise from here on.
    public let resources: [Resource]
    /// What is missing here.
    public let gaps: [Gap]
    /// Readings, oldest first.
    public let readings: [Reading]
    /// Why it is over; in the last reply.
    public let ended: String?

    /// The update of a reply.
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
