internal import BrokerClient
internal import Readings
internal import Varlink

/// What a feed provides, as the broker and its clients are to know it.
struct FeedOffer: Equatable {
    let kind: Kind
    let name: String
    /// The program and its device, as text for people.
    var description: String?
    /// The interval of its samples, as far as it is known.
    var intervalNanoseconds: Int64?
    /// How long it may send nothing although it works.
    var restNanoseconds: Int64?
    var isSimulated = false

    /// The call that provides it.
    var call: Call {
        var parameters: JSONObject = [
            "resources": [["name": .string(name), "kind": .string(kind.wire)]]
        ]
        parameters.member("description", description)
        parameters.member("intervalNanoseconds", intervalNanoseconds)
        parameters.member("restNanoseconds", restNanoseconds)
        if isSimulated { parameters.member("simulated", true) }
        return Call(Interface.provide, parameters: parameters, mode: .more)
    }
}
