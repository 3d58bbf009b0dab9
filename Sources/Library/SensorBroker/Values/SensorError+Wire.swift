internal import BrokerClient
internal import Varlink

extension SensorError {
    /// The error for a failed connection.
    init(_ fault: ConnectionFault) {
        switch fault {
        case .closed: self = .disconnected
        case .unintelligible(let what): self = .unintelligible(what)
        }
    }

    /// The error for the end of a stream, by its reason on the wire.
    init(ended reason: String?) {
        switch reason {
        case nil: self = .disconnected
        case "permissionDenied": self = .notPermitted(path: "this resource")
        case let reason?: self = .ended(reason: reason)
        }
    }

    /// The error for an error reply of the broker.
    init(_ error: VarlinkError) {
        switch error {
        case .permissionDenied: self = .notPermitted(path: "this resource")
        case .invalidParameter(let name):
            self = .invalidRequest("the broker does not accept this value of '\(name)'")
        case .other(let name, let parameters): self.init(named: name, Parameters(parameters))
        default: self = .unintelligible(error.name)
        }
    }

    private init(named name: String, _ parameters: Parameters) {
        func text(_ key: String) -> String? { (try? parameters.optionalString(key)) ?? nil }
        let resource = text("resource").flatMap { ResourceName($0) }
        switch (name, resource) {
        case (Interface.error("NoSuchResource"), let resource?): self = .noSuchResource(resource)
        case (Interface.error("ResourceUnavailable"), let resource?):
            self = .resourceUnavailable(resource, reason: text("reason"))
        case (Interface.error("TimedOut"), _): self = .timedOut
        // The stream has just ended, or another broker has taken its place.
        case (Interface.error("NoSuchSubscription"), _): self = .disconnected
        case (Interface.feedError("NotAllowed"), let resource?):
            self = .notAllowed(resource, reason: text("reason") ?? "the broker gives no reason")
        case (Interface.feedError("NameTaken"), let resource?):
            self = .nameTaken(resource, holder: text("holder") ?? "another program")
        case (Interface.feedError("NoSuchKind"), _):
            self = .invalidRequest("the broker knows no kind '\(text("kind") ?? "")'; it may be an older version")
        case (Interface.error("TooManySubscriptions"), _), (Interface.error("TooManyConnections"), _),
            (Interface.feedError("TooManyConnections"), _):
            self = .tooManySubscriptions
        case (Interface.error("TooManyRequests"), _): self = .tooManyRequests
        default: self = .unintelligible(name)
        }
    }
}
