internal import Configuration
internal import Readings
internal import Varlink

/// The errors of the broker's own interfaces.
extension VarlinkError {
    private static func broker(_ name: String, _ parameters: JSONObject = [:]) -> Self {
        .other(name: "io.sensorbroker.Broker." + name, parameters: parameters)
    }

    private static func admin(_ name: String, _ parameters: JSONObject) -> Self {
        .other(name: "io.sensorbroker.Admin." + name, parameters: parameters)
    }

    static func noSuchResource(_ name: String) -> Self { broker("NoSuchResource", ["resource": .string(name)]) }

    var isNoSuchResource: Bool { name == "io.sensorbroker.Broker.NoSuchResource" }

    static func noSuchSubscription(_ id: String) -> Self { broker("NoSuchSubscription", ["subscription": .string(id)]) }

    static func resourceUnavailable(_ name: String, reason: String?) -> Self {
        var parameters: JSONObject = ["resource": .string(name)]
        parameters.member("reason", reason)
        return broker("ResourceUnavailable", parameters)
    }

    static func tooManySubscriptions(limit: Int) -> Self {
        broker("TooManySubscriptions", ["limit": .integer(Int64(limit))])
    }

    static func tooManyRequests(limit: Int) -> Self { broker("TooManyRequests", ["limit": .integer(Int64(limit))]) }

    static let timedOut = broker("TimedOut")

    static func noSuchResourceToAdministrate(_ name: String) -> Self {
        admin("NoSuchResource", ["resource": .string(name)])
    }

    /// The first error, in full, and how many more there are.
    static func invalidConfiguration(_ errors: ConfigurationErrors) -> Self {
        let more = errors.others.isEmpty ? "" : " (and \(errors.others.count) more; --check-config names them all)"
        var parameters: JSONObject = ["file": .string(errors.first.file)]
        parameters.member("line", errors.first.line.map { Int64($0) })
        parameters.member("message", errors.first.message + more)
        return admin("InvalidConfiguration", parameters)
    }

    static func calibrationRefused(_ reason: String) -> Self {
        admin("CalibrationRefused", ["reason": .string(reason)])
    }

    static func noSuchClient(_ id: Int64) -> Self { admin("NoSuchClient", ["id": .integer(id)]) }
}

/// The errors that programs get which provide resources.
extension VarlinkError {
    private static func feed(_ name: String, _ parameters: JSONObject = [:]) -> Self {
        .other(name: "io.sensorbroker.Feed." + name, parameters: parameters)
    }

    static func noSuchKindToProvide(_ kind: String) -> Self { feed("NoSuchKind", ["kind": .string(kind)]) }

    static func notAllowed(_ name: ResourceName, _ reason: String) -> Self {
        feed("NotAllowed", ["resource": .string("\(name)"), "reason": .string(reason)])
    }

    static func nameTaken(_ name: ResourceName, by holder: String) -> Self {
        feed("NameTaken", ["resource": .string("\(name)"), "holder": .string(holder)])
    }

    static let alreadyProviding = feed("AlreadyProviding")
    static let notProviding = feed("NotProviding")
}
