public import Platform
public import Varlink

/// A call with `more` on a connection of its own, made again after growing pauses whenever it has ended.
///
/// Whoever uses it waits for `number`, takes what comes, and reports what that was: after an answer the pauses are short again.
public final class StandingCall {
    /// What came of a turn.
    public enum Event {
        /// The broker's replies.
        case replies([Parameters])
        /// There is no connection, or it has ended; why, in words.
        case lost(String)
        /// The broker refuses the call; why, by the name of its error.
        case refused(String)
    }

    /// What is asked for at the next connection.
    public var call: Call
    /// The socket that was connected to last.
    public private(set) var path: String?
    /// When to connect; nil while there is a connection.
    public private(set) var retryNanoseconds: Int64? = 0

    private let paths: [String]
    private let dial: BrokerDialer
    private var stream: (any BrokerStream)?
    private var backoff = Backoff(
        firstNanoseconds: Nanoseconds.second / 10, longestNanoseconds: 5 * Nanoseconds.second)

    /// The pause after a refusal, which only an administrator can change.
    private static let refusalPauseNanoseconds = 30 * Nanoseconds.second

    /// A call of the broker at the first of these paths that accepts; it connects when `connect` is called.
    public init(
        _ call: Call, paths: [String],
        dial: @escaping BrokerDialer = { path throws(SystemError) in try SocketStream(path: path) }
    ) {
        self.call = call
        self.paths = paths
        self.dial = dial
    }

    /// The descriptor to wait for; nil if there is no connection.
    public var number: Int32? { stream?.number }

    /// Whether it is time to connect.
    public func isDue(_ now: Int64) -> Bool { retryNanoseconds.map { now >= $0 } ?? false }

    /// Connects and calls; the descriptor to wait for.
    public func connect(_ now: Int64) throws(ConnectRefusal) -> Int32 {
        assert(retryNanoseconds != nil, "a call that stands is not made twice")
        stream = nil
        do throws(ConnectRefusal) {
            let (stream, path) = try SocketPath.connect(firstOf: paths) { path throws(SystemError) in
                (try dial(path), path)
            }
            self.stream = stream
            self.path = path
            // A broker that is gone may have left an answer, such as why it takes nobody. Else the call is made again.
            do throws(ConnectionFault) {
                try stream.send(call)
                retryNanoseconds = nil
            } catch { retryNanoseconds = now + backoff.next() }
            return stream.number
        } catch {
            end(now)
            throw error
        }
    }

    /// Sends further calls on the same connection, as they are written.
    public func send(_ bytes: [UInt8]) throws(ConnectionFault) {
        guard let stream else { throw .closed }
        try stream.send(bytes)
    }

    /// What has arrived, as whole replies.
    public func replies() throws(ConnectionFault) -> [Reply] { try stream?.replies() ?? [] }

    /// Reads what has arrived.
    public func receive() throws(ConnectionFault) { try stream?.receive() }

    /// The text of the next complete reply among what was read; nil if there is none, or no connection.
    public func nextMessage() throws(ConnectionFault) -> [UInt8]? { try stream?.nextMessage() }

    /// The broker answers.
    public func didAnswer() {
        backoff.reset()
        retryNanoseconds = nil
    }

    /// The connection has ended, or is not wanted any more; the call is made again after a pause.
    public func end(_ now: Int64) {
        stream = nil
        retryNanoseconds = now + backoff.next()
    }

    /// Connects if it is time, and has a loop wait for replies under a token; what went wrong, if anything did.
    public func connect(_ loop: borrowing EventLoop, token: UInt64, _ now: Int64) -> Event? {
        guard isDue(now) else { return nil }
        do throws(ConnectRefusal) {
            let number = try connect(now)
            do throws(SystemError) { try loop.add(number, .read, token: token) } catch {
                end(now)
                return .lost("\(error)")
            }
            return nil
        } catch { return .lost("\(error)") }
    }

    /// Takes what has come, as replies.
    public func read(_ now: Int64) -> Event {
        var replies: [Parameters] = []
        do throws(ConnectionFault) {
            try receive()
            while let message = try nextMessage() {
                switch try Reply(of: message) {
                case .success(let parameters, continues: _):
                    didAnswer()
                    replies.append(parameters)
                case .failure(let error):
                    // A broker that was started anew may find it yet.
                    guard error.name != Interface.error("NoSuchResource") else {
                        end(now)
                        return .lost("the broker does not know the resource yet")
                    }
                    stream = nil
                    retryNanoseconds = now + Self.refusalPauseNanoseconds
                    return .refused(error.name)
                }
            }
            return .replies(replies)
        } catch {
            end(now)
            // Replies that came together with nonsense are lost with it: the next connection brings them again.
            guard case .unintelligible(let why) = error else { return .lost("the broker has ended the connection") }
            return .lost("the broker is not understood: \(why)")
        }
    }
}
