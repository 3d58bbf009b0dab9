internal import BrokerClient
internal import Glibc
internal import Platform
internal import Varlink

/// One call with `more` of the broker, on a connection of its own, made again whenever it ends.
final class BrokerFeed {
    /// What came of reading.
    enum News {
        /// The broker's replies since the last time.
        case replies([Parameters])
        /// The connection is lost, or could not be made; why, in words.
        case lost(String)
        /// The broker refuses the call; why, in words.
        case refused(String)
    }

    /// The first pause before another attempt; it doubles.
    private static let firstPauseNanoseconds: Int64 = 100_000_000
    private static let longestPauseNanoseconds: Int64 = 5_000_000_000
    /// The pause after a refusal, which only an administrator can change.
    private static let refusalPauseNanoseconds: Int64 = 30_000_000_000

    private let paths: [String]
    private let call: Call
    private let token: UInt64
    private var connection: BrokerConnection?
    private var attempts = 0
    /// When to try again; nil while it is connected.
    private(set) var retryNanoseconds: Int64? = 0

    /// A feed that connects when `connect` is called; a loop knows it by its token.
    init(_ call: Call, paths: [String], token: UInt64) {
        (self.call, self.paths, self.token) = (call, paths, token)
    }

    /// Connects and calls, if it is time for that; returns what went wrong.
    func connect(_ loop: borrowing EventLoop, now: Int64) -> News? {
        guard let instant = retryNanoseconds, now >= instant else { return nil }
        var reason = "there is no broker at \(paths.joined(separator: " or "))"
        for path in paths {
            do throws(SystemError) {
                let made = try BrokerConnection(path: path, patienceNanoseconds: 0)
                guard (try? made.send(call)) != nil else { continue }
                try loop.add(made.number, .read, token: token)
                connection = consume made
                retryNanoseconds = nil
                return nil
            } catch { if error.code != ENOENT { reason = "\(error)" } }
        }
        pause(now)
        return .lost(reason)
    }

    /// Reads what has come.
    func read(now: Int64) -> News {
        var replies: [Parameters] = []
        do throws(ConnectionFault) {
            try connection?.receive()
            while let reply = try connection?.nextReply() {
                switch reply {
                case .success(let parameters, continues: _):
                    attempts = 0
                    replies.append(parameters)
                case .failure(let error):
                    connection = nil
                    retryNanoseconds = now + Self.refusalPauseNanoseconds
                    return .refused(error.name)
                }
            }
            return .replies(replies)
        } catch {
            connection = nil
            pause(now)
            // Replies that came together with nonsense are lost with it: those of the next connection say the same.
            guard case .unintelligible(let why) = error else { return .lost("the broker has ended the connection") }
            return .lost("the broker is not understood: \(why)")
        }
    }

    private func pause(_ now: Int64) {
        let pause = Self.firstPauseNanoseconds << Int64(min(attempts, 10))
        retryNanoseconds = now + min(Self.longestPauseNanoseconds, pause)
        attempts += 1
    }
}
