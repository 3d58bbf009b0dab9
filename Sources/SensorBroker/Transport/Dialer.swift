internal import BrokerClient
internal import Glibc
internal import Platform
internal import Replay

/// Connects to the configured broker; the only code that distinguishes the transports.
final class Dialer: Sendable {
    private let configuration: Configuration
    /// Created by the first connection.
    private let inProcess = Locked<InProcessBroker?>(nil)

    init(_ configuration: Configuration) { self.configuration = configuration }

    /// Opens a connection; does not wait.
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

    /// Connects to the first candidate that accepts.
    private func connectToDaemon() throws(SensorError) -> BrokerConnection {
        var refusal: SensorError?
        for path in configuration.paths {
            do { return try BrokerConnection(path: path, patienceNanoseconds: 0) } catch {
                if error.code != ENOENT { refusal = refusal ?? Self.refusal(path, error) }
            }
        }
        throw refusal ?? .brokerMissing(paths: configuration.paths)
    }

    /// The error for an errno of `connect`.
    static func refusal(_ path: String, _ error: SystemError) -> SensorError {
        switch error.code {
        case EACCES, EPERM: .notPermitted(path: path)
        case ECONNREFUSED: .brokerStopped(path: path)
        default: .system("\(error)")
        }
    }

    /// Connects to the broker in this process; the first connection creates it.
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
