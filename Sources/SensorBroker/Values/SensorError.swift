/// Why there are no readings, and what to do about it.
public enum SensorError: Error, Equatable, Sendable {
    /// No broker runs on this host: none of these sockets is there.
    case brokerMissing(paths: [String])
    /// There is a socket, and nobody listens at it.
    case brokerStopped(path: String)
    /// This user may not talk to the broker.
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
    /// The user has as many subscriptions, or connections, as are allowed.
    case tooManySubscriptions
    /// What was asked for makes no sense; the text says what and how to put it right.
    case invalidRequest(String)
    /// What answers is no broker, or one of another version.
    case unintelligible(String)
    /// The system refused something that the library needs: descriptors, memory, a thread.
    case system(String)
    /// The task was cancelled, or the subscription was released by hand.
    case cancelled
}

extension SensorError: CustomStringConvertible {
    /// What happened and what to do next.
    public var description: String {
        switch self {
        case .brokerMissing(let paths):
            "sensorbrokerd is not running: there is no socket \(paths.joined(separator: " nor ")). Start it with "
                + "'sudo systemctl start sensorbrokerd', or run without it: set SENSORBROKER_TRANSPORT=mock"
        case .brokerStopped(let path):
            "nobody listens at \(path): sensorbrokerd stopped. Start it with 'sudo systemctl start sensorbrokerd'"
        case .notPermitted(let path):
            "this user may not use \(path): add it to the socket's group with "
                + "'sudo usermod -aG sensorbroker $USER' and log in again"
        case .disconnected: "the broker closed the connection; the library connects again by itself"
        case .noSuchResource(let name): "the broker has no resource '\(name)'; Broker.resources() lists what it has"
        case .wrongKind(let name): "'\(name)' measures something else; Broker.resources() tells the kinds"
        case .resourceUnavailable(let name, let reason):
            "\(name) is not available\(reason.map { " (\($0))" } ?? ""); its events tell when it is"
        case .timedOut: "no reading came in time; allow more time, or an older one"
        case .tooManySubscriptions: "this user has as many subscriptions or connections as are allowed: end one of them"
        case .invalidRequest(let text): text
        case .unintelligible(let what):
            "what answers is no broker, or one of another version: \(what). Is SENSORBROKER_SOCKET right?"
        case .system(let what): "the system refused what the library needs: \(what)"
        case .cancelled: "the request was cancelled"
        }
    }
}
