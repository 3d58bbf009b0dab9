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
        guard let local = try local() else { return try connectToDaemon() }
        return BrokerConnection(try local.connect())
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
    private func connectToDaemon() throws(SensorError) -> BrokerConnection {
        let paths = configuration.paths
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
        default: .system("\(error)")
        }
    }
}
