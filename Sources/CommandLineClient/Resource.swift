internal import Varlink

/// A resource, as the broker tells of it.
struct Resource: Equatable {
    /// As it came.
    let object: JSONObject
    let name: String
    let kind: String
    let state: String
    let reason: String?
    let simulated: Bool
    let minimumIntervalNanoseconds: Int64
    let maximumIntervalNanoseconds: Int64
    let defaultIntervalNanoseconds: Int64
    let deviceIntervalNanoseconds: Int64?
    let description: String?

    init(_ parameters: Parameters) throws(VarlinkError) {
        object = parameters.object
        name = try parameters.string("name")
        kind = try parameters.string("kind")
        state = try parameters.string("state")
        reason = try parameters.optionalString("reason")
        simulated = try parameters.bool("simulated")
        minimumIntervalNanoseconds = try parameters.integer("minimumIntervalNanoseconds")
        maximumIntervalNanoseconds = try parameters.integer("maximumIntervalNanoseconds")
        defaultIntervalNanoseconds = try parameters.integer("defaultIntervalNanoseconds")
        deviceIntervalNanoseconds = try parameters.optionalInteger("deviceIntervalNanoseconds")
        description = try parameters.optionalString("description")
    }

    static func all(_ parameters: [Parameters]) throws(VarlinkError) -> [Self] {
        try parameters.map { element throws(VarlinkError) in try Self(element) }
    }

    /// State, and why it is in it.
    var stateText: String { reason.map { "\(state): \($0)".printable } ?? state.printable }
}
