/// Why there are no readings, and what to do about it.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum SensorError: Error, Hashable, Codable, Sendable {
    /// No broker runs on this host: none of these sockets exists.
    case brokerMissing(paths: [String])
    /// The socket exists, but nothing listens on it.
    case brokerStopped(path: String)
    /// This user may not use the broker.
    case notPermitted(path: String)
    /// The connection broke.
    case disconnected
    /// The broker ended the stream, for this reason: `shutdown`, `slowClient`, or a word of a later broker.
    case ended(reason: String)
    /// The broker has no resource of that name; a request may wait for it (``SensorRequest/waitsForResource``).
    case noSuchResource(ResourceName)
    /// The resource measures something else.
    case wrongKind(ResourceName)
    /// The resource is missing or failing; the reason is for people.
    case resourceUnavailable(ResourceName, reason: String?)
    /// This user may not provide the resource; the reason states what to configure.
    case notAllowed(ResourceName, reason: String)
    /// A sensor or another program, the holder, provides the resource already.
    case nameTaken(ResourceName, holder: String)
    /// No reading came in time.
    case timedOut
    /// The broker listens, but did not answer a call in so many seconds; 0: it accepts no connection.
    case unanswered(seconds: Int)
    /// The user has reached a limit on subscriptions or connections.
    case tooManySubscriptions
    /// The program, or its user, has reached a limit on different requests.
    case tooManyRequests
    /// The request is invalid; the text states what is wrong and how to correct it.
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
                + "'sudo systemctl start sensorbrokerd' or, for simulated sensors, 'sensorbrokerd --mock'"
        case .brokerStopped(let path):
            "nothing listens at \(path): sensorbrokerd has stopped. Start it with 'sudo systemctl start sensorbrokerd'"
        case .notPermitted(let path) where !path.contains("/" as Character):
            "this user may not read \(path); the administrator permits it with Groups= in sensorbrokerd.conf"
        case .notPermitted(let path):
            "this user may not use \(path): add it to the socket's group with 'sudo usermod -aG "
                + (path.contains("/io.sensorbroker.Feed") ? "sensorbroker-feed" : "sensorbroker")
                + " $USER' and log in again"
        case .disconnected: "the broker closed the connection; the library connects again by itself"
        case .ended("slowClient"):
            "the broker ended the stream, because this program read too slowly: ask for fewer readings; the library connects "
                + "again by itself"
        case .ended(let reason): "the broker ended the stream (\(reason)); the library connects again by itself"
        case .noSuchResource(let name): "the broker has no resource '\(name)'; Broker.resources() lists its resources"
        case .wrongKind(let name): "'\(name)' measures something else; Broker.resources() lists the kinds"
        case .resourceUnavailable(let name, let reason):
            "\(name) is not available\(reason.map { " (\($0))" } ?? ""); its events report when it is available"
        case .notAllowed(let name, let reason): "this user may not provide \(name): \(reason)"
        case .nameTaken(let name, let holder):
            "\(name) is taken, by \(holder); or provide another name, such as '\(name.word):2'"
        case .timedOut: "no reading came in time; allow more time, or an older reading"
        case .unanswered(let seconds):
            (seconds == 0 ? "sensorbrokerd accepts no connection" : "sensorbrokerd did not answer for \(seconds) s")
                + ": it is stopped, as in a debugger, or its host is very busy; 'systemctl status sensorbrokerd' shows it"
        case .tooManySubscriptions: "this user has reached the limit on subscriptions or connections: end one of them"
        case .tooManyRequests:
            "this program or its user has reached the limit on different requests: use equal intervals for several"
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
