internal import Platform

/// A program that reads NMEA from its socket.
final class NMEAClient {
    private let socket: UnixSocket
    private var rest: [UInt8] = []
    private var buffer = [UInt8](repeating: 0, count: 1_024)

    /// A client that does not read gets the positions of some seconds when it does, not those of minutes ago.
    private static let mostUnreadBytes = 2_048

    /// The user of the program.
    let userID: UInt32

    init(_ socket: consuming UnixSocket, of userID: UInt32) {
        socket.setSendBuffer(bytes: Self.mostUnreadBytes)
        self.socket = socket
        self.userID = userID
    }

    /// The descriptor's number, for the loop.
    var number: Int32 { socket.number }

    /// Whether a part of what was sent waits until the socket has room.
    var isBehind: Bool { !rest.isEmpty }

    /// Sends lines as a whole; false if the client has gone.
    ///
    /// One that has not read the lines before loses the newest.
    func send(_ lines: [UInt8]) -> Bool {
        let bytes = rest.isEmpty ? lines : rest
        guard !bytes.isEmpty else { return true }
        switch socket.send(bytes.span) {
        case .sent: rest = []
        case .partly(let count): rest = Array(bytes[count...])
        case .full: break
        case .failed: return false
        }
        return true
    }

    /// Ends the connection, whoever else holds the socket.
    func end() { socket.end() }

    /// Whether the client is connected; what it sends is of no interest, and may be more than is read at once.
    var isThere: Bool {
        switch socket.receive(into: &buffer) {
        case .received, .nothing: true
        case .ended, .failed: false
        }
    }
}
