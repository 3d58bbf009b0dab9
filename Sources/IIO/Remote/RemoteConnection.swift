internal import Glibc
internal import Platform

/// A connection to an iiod: one request, one reply, and each has its time.
///
/// Whoever has lied, fallen silent or gone is asked nothing more: an answer that comes late would be taken for the answer to
/// another question.
final class RemoteConnection {
    private let socket: NetworkSocket
    private var reader = ReplyReader()
    private var buffer = [UInt8](repeating: 0, count: 16_384)
    private var end: SystemError?

    /// For what has to be looked up or powered up first; within the five seconds after which a client is to know.
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
    /// The mask in it.
    var mask: [UInt8] { reader.mask }

    /// Asks, and waits for the whole of the reply; returns its number.
    ///
    /// An error that the iiod tells is thrown as an errno, like one of the connection.
    @discardableResult
    func ask(
        _ request: [UInt8], _ shape: ReplyReader.Shape, within nanoseconds: Int64 = usualNanoseconds,
        for purpose: @autoclosure () -> String
    ) throws(SystemError) -> Int {
        if let end { throw end }
        let deadline = Clock.monotonicNanoseconds() + nanoseconds
        do throws(SystemError) {
            try socket.send(request, until: deadline)
            reader.begin(shape)
            while try !take(until: deadline) {}
        } catch {
            let code = error.code == ETIMEDOUT ? EHOSTDOWN : error.code
            let told = error.isBreach ? error : SystemError(purpose(), code: code)
            end = told
            throw told
        }
        guard reader.code >= 0 else { throw SystemError(purpose(), code: Int32(clamping: -reader.code)) }
        return reader.code
    }

    private func take(until deadline: Int64) throws(SystemError) -> Bool {
        let count = try socket.receive(into: &buffer, until: deadline)
        do throws(ProtocolBreach) { return try reader.take(buffer[..<count]) } catch { throw SystemError(error) }
    }

    /// Ends it for something in the last reply that must not be there.
    func ended(by breach: ProtocolBreach) -> SystemError {
        let error = SystemError(breach)
        end = error
        return error
    }
}

extension SystemError {
    /// No errno, and so none that an iiod could tell.
    private static let breachCode: Int32 = -1

    /// What an iiod said that it must not say.
    init(_ breach: ProtocolBreach) { self.init(breach.description, code: Self.breachCode) }

    /// True where an iiod does not keep to its protocol; `call` says how.
    var isBreach: Bool { code == Self.breachCode }
}
