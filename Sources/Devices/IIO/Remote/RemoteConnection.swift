internal import Glibc
internal import Platform

/// A connection to an iiod: one request, one reply, and a time limit for each.
///
/// After an iiod has broken its protocol, fallen silent or gone, it is asked nothing more: a late answer would be taken
/// for the answer to another question.
final class RemoteConnection {
    private let socket: NetworkSocket
    private var reader = ReplyReader()
    /// Room for the samples of one reply with the numbers before them: they are taken at once.
    private var buffer = [UInt8](repeating: 0, count: 65_536 + 256)
    private var end: SystemError?
    /// The shortest time in which a request was answered; nil: none has been yet.
    private(set) var roundTripNanoseconds: Int64?

    /// For requests that look something up or power something up first; within the five seconds after which a client
    /// must know.
    static let longNanoseconds: Int64 = 4_000_000_000
    /// A read must not wait longer than a second.
    static let usualNanoseconds: Int64 = 1_000_000_000

    init(to endpoints: [TCPEndpoint]) throws(SystemError) {
        let nanoseconds = TCPConnection.patienceNanoseconds
        socket = NetworkSocket(try TCPConnection(to: endpoints, withinNanoseconds: nanoseconds))
    }

    deinit { if end == nil { socket.sendWithoutWaiting(Array("\r\nEXIT\r\n".utf8)) } }

    /// The bytes of the reply to the last request.
    var payload: [UInt8] { reader.payload }
    /// The channel mask of the reply to the last request.
    var mask: [UInt8] { reader.mask }

    /// Sends a request and waits for the whole reply; returns its number.
    ///
    /// An error from the iiod is thrown as an errno, like an error of the connection.
    @discardableResult
    func ask(
        _ request: [UInt8], _ shape: ReplyReader.Shape, within nanoseconds: Int64 = usualNanoseconds,
        for purpose: @autoclosure () -> String
    ) throws(SystemError) -> Int {
        if let end { throw end }
        let begin = Clock.monotonicNanoseconds()
        let deadline = begin + nanoseconds
        do throws(SystemError) {
            try socket.send(request, until: deadline)
            reader.begin(shape)
            while try !take(until: deadline) {}
        } catch {
            let code = error.code == ETIMEDOUT ? EHOSTDOWN : error.code
            let reported = error.isBreach ? error : SystemError(purpose(), code: code)
            end = reported
            throw reported
        }
        let elapsed = Clock.monotonicNanoseconds() - begin
        roundTripNanoseconds = min(elapsed, roundTripNanoseconds ?? elapsed)
        guard reader.code >= 0 else { throw SystemError(purpose(), code: Int32(clamping: -reader.code)) }
        return reader.code
    }

    private func take(until deadline: Int64) throws(SystemError) -> Bool {
        let count = try socket.receive(into: &buffer, until: deadline)
        do throws(ProtocolBreach) { return try reader.take(buffer[..<count]) } catch { throw SystemError(error) }
    }

    /// Ends the connection because the last reply held something that it must not.
    func ended(by breach: ProtocolBreach) -> SystemError {
        let error = SystemError(breach)
        end = error
        return error
    }
}

extension SystemError {
    /// Not an errno, so that no iiod can send it.
    private static let breachCode: Int32 = -1

    init(_ breach: ProtocolBreach) { self.init(breach.description, code: Self.breachCode) }

    /// True if an iiod broke its protocol; `call` states how.
    var isBreach: Bool { code == Self.breachCode }
}
