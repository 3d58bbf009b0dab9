internal import BrokerClient
internal import Varlink

/// Why there are no readings, and what to do about it.
public enum SensorError: Error, Hashable, Sendable {
    /// No broker runs on this host: none of these sockets exists.
    case brokerMissing(paths: [String])
    /// The socket exists, but nothing listens on it.
    case brokerStopped(path: String)
    /// This user may not use the broker.
    case notPermitted(path: String)
    /// The connection broke.
    case disconnected
    /// The broker has no resource of that name.
    case noSuchResource(ResourceName)
    /// The resource measures something else.
    case wrongKind(ResourceName)
    /// The resource is missing or failing; the reason is for people.
    case resourceUnavailable(ResourceName, reason: String?)
    /// No reading came in time.
    case timedOut
    /// The user has reached a limit on subscriptions or connections.
    case tooManySubscriptions
    /// The request is invalid; the text says what is wrong and how to correct it.
    case invalidRequest(String)
    /// The peer is not a broker, or one of another version.
    case unintelligible(String)
    /// The system refused a resource that the library needs: descriptors, memory, a thread.
    case system(String)
    /// The task was cancelled, or the subscription was released.
    case cancelled
    /// The broker belongs to the process that forked this one.
    case forked
}

extension SensorError: CustomStringConvertible {
    /// What happened and what to do next.
    public var description: String {
        switch self {
        case .brokerMissing(let paths):
            "sensorbrokerd is not running: there is no socket \(paths.joined(separator: " nor ")). Start it with "
                + "'sudo systemctl start sensorbrokerd', or run without it: set SENSORBROKER_TRANSPORT=mock"
        case .brokerStopped(let path):
            "nothing listens at \(path): sensorbrokerd has stopped. Start it with 'sudo systemctl start sensorbrokerd'"
        case .notPermitted(let path):
            "this user may not use \(path): add it to the socket's group with "
                + "'sudo usermod -aG sensorbroker $USER' and log in again"
        case .disconnected: "the broker closed the connection; the library connects again by itself"
        case .noSuchResource(let name): "the broker has no resource '\(name)'; Broker.resources() lists its resources"
        case .wrongKind(let name): "'\(name)' measures something else; Broker.resources() lists the kinds"
        case .resourceUnavailable(let name, let reason):
            "\(name) is not available\(reason.map { " (\($0))" } ?? ""); its events report when it is available"
        case .timedOut: "no reading came in time; allow more time, or an older reading"
        case .tooManySubscriptions: "this user has reached the limit on subscriptions or connections: end one of them"
        case .invalidRequest(let text): text
        case .unintelligible(let what):
            "the peer is not a broker, or is one of another version: \(what). Is SENSORBROKER_SOCKET right?"
        case .system(let what): "the system refused something that the library needs: \(what)"
        case .cancelled: "the task was cancelled, or the subscription was released; request it again to go on"
        case .forked:
            "this broker belongs to the process that forked this one: a child process can use it only after exec"
        }
    }
}

extension SensorError {
    /// The error for a failed connection.
    init(_ fault: ConnectionFault) {
        switch fault {
        case .closed: self = .disconnected
        case .unintelligible(let what): self = .unintelligible(what)
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
        case (Interface.error("TooManySubscriptions"), _), (Interface.error("TooManyConnections"), _):
            self = .tooManySubscriptions
        default: self = .unintelligible(name)
        }
    }
}
