internal import BrokerClient
internal import Glibc
internal import Platform

/// Connects to the configured broker; the only code that distinguishes the transports.
final class Dialer: Sendable {
    private let configuration: Broker.Configuration
    private let made = Locked<(any LocalBroker)?>(nil)

    init(_ configuration: Broker.Configuration) { self.configuration = configuration }

    /// How long a call goes on looking while nothing listens.
    var patienceNanoseconds: Int64 { configuration.patienceNanoseconds }

    /// Opens a connection; does not wait.
    func connect() throws(SensorError) -> BrokerConnection {
        if let fault = configuration.fault { throw fault }
        guard let local = try local() else { return try connectToDaemon(configuration.paths) }
        return BrokerConnection(try local.connect())
    }

    /// Opens a connection for a provider; does not wait.
    func connectFeed() throws(SensorError) -> BrokerConnection {
        if let fault = configuration.fault { throw fault }
        if let local = try local() { return BrokerConnection(try local.connectFeed()) }
        let paths = configuration.paths.compactMap { SocketPath.feed(besideBroker: $0) }
        if paths.isEmpty, let path = configuration.paths.first(where: { !$0.isEmpty }) {
            throw .invalidRequest(
                "the socket for providers is beside that of the broker, but \(path) does not have the name of one")
        }
        return try connectToDaemon(paths.isEmpty ? configuration.paths : paths)
    }

    /// The broker within this process, made when it is first needed; nil if it is another process.
    func local() throws(SensorError) -> (any LocalBroker)? {
        guard case .local(let make) = configuration.transport.way else { return nil }
        return try made.withLock { (made) throws(SensorError) in
            if let made { return made }
            let new = try make()
            made = new
            return new
        }
    }

    /// Connects to the first candidate that accepts.
    private func connectToDaemon(_ paths: [String]) throws(SensorError) -> BrokerConnection {
        if paths.contains("") {
            throw .invalidRequest("the path of the broker's socket is empty; leave it out for the usual places")
        }
        do throws(ConnectRefusal) {
            return try SocketPath.connect(firstOf: paths) { path throws(SystemError) in
                try BrokerConnection(path: path, patienceNanoseconds: 0)
            }
        } catch {
            if error.isAbsence { throw .brokerMissing(paths: paths) }
            throw Self.refusal(error.path, error.error)
        }
    }

    /// The error for an errno of `connect`.
    static func refusal(_ path: String, _ error: SystemError) -> SensorError {
        switch error.code {
        case EACCES, EPERM: .notPermitted(path: path)
        case ECONNREFUSED: .brokerStopped(path: path)
        // Its backlog is full: it accepts nobody.
        case EAGAIN: .unanswered(seconds: 0)
        default: .system("\(error)")
        }
    }
}
