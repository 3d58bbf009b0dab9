internal import BrokerClient
internal import Glibc
internal import InProcess
internal import Platform

/// Makes connections to whatever the configuration names; the one place that knows the transports apart.
final class Dialer: Sendable {
    private let configuration: Configuration
    /// Made by the first connection.
    private let inProcess = Locked<InProcessBroker?>(nil)

    init(_ configuration: Configuration) { self.configuration = configuration }

    /// A new connection, which does not wait.
    func connect() throws(SensorError) -> BrokerConnection {
        if let fault = configuration.fault { throw fault }
        switch configuration.transport {
        case .daemon: return try connectToDaemon()
        case .mock:
            do { return BrokerConnection(try inProcessBroker().connect()) } catch { throw .system("\(error)") }
        }
    }

    /// To the first path at which somebody listens.
    private func connectToDaemon() throws(SensorError) -> BrokerConnection {
        var refusal: SensorError?
        for path in configuration.paths {
            do { return try BrokerConnection(path: path, waits: false) } catch {
                if error.code != ENOENT { refusal = refusal ?? Self.refusal(path, error) }
            }
        }
        throw refusal ?? .brokerMissing(paths: configuration.paths)
    }

    /// What an errno of `connect` means to a user.
    static func refusal(_ path: String, _ error: SystemError) -> SensorError {
        switch error.code {
        case EACCES, EPERM: .notPermitted(path: path)
        case ECONNREFUSED: .brokerStopped(path: path)
        default: .system("\(error)")
        }
    }

    private func inProcessBroker() throws(SystemError) -> InProcessBroker {
        try inProcess.withLock { broker throws(SystemError) in
            if let broker { return broker }
            let new = try InProcessBroker()
            broker = new
            return new
        }
    }
}
