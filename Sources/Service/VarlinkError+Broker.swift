internal import Varlink

/// The errors of the broker's own interfaces.
extension VarlinkError {
    static func noSuchResource(_ name: String) -> Self {
        .other(name: "io.sensorbroker.Broker.NoSuchResource", parameters: ["resource": .string(name)])
    }

    static func noSuchSubscription(_ id: String) -> Self {
        .other(name: "io.sensorbroker.Broker.NoSuchSubscription", parameters: ["subscription": .string(id)])
    }

    static func resourceUnavailable(_ name: String, reason: String?) -> Self {
        var parameters: JSONObject = ["resource": .string(name)]
        if let reason { _ = parameters.append("reason", .string(reason)) }
        return .other(name: "io.sensorbroker.Broker.ResourceUnavailable", parameters: parameters)
    }

    static let timedOut = Self.other(name: "io.sensorbroker.Broker.TimedOut", parameters: [:])

    static func noSuchClient(_ id: Int64) -> Self {
        .other(name: "io.sensorbroker.Admin.NoSuchClient", parameters: ["id": .integer(id)])
    }
}
