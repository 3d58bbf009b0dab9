internal import BrokerClient
internal import Glibc
internal import Platform
internal import Replay

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
        case .mock: return try connect { try InProcessBroker() }
        case .replay(let file): return try connect { try Self.player(of: file) }
        }
    }

    private static func player(of file: String) throws -> InProcessBroker {
        try InProcessBroker(replaying: Recording(path: file))
    }

    /// To the first path at which somebody listens.
    private func connectToDaemon() throws(SensorError) -> BrokerConnection {
        var refusal: SensorError?
        for path in configuration.paths {
            do { return try BrokerConnection(path: path, patienceNanoseconds: 0) } catch {
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

    /// To the broker in this process, which the first connection makes.
    private func connect(orMake make: () throws -> InProcessBroker) throws(SensorError) -> BrokerConnection {
        do {
            let broker = try inProcess.withLock { broker in
                if let broker { return broker }
                let new = try make()
                broker = new
                return new
            }
            return BrokerConnection(try broker.connect())
        } catch let error as RecordingError {
            throw .invalidRequest("\(error)")
        } catch {
            throw .system("\(error)")
        }
    }
}
