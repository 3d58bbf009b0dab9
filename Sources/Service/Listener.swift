public import Platform

/// A listening socket and who answers the calls of its clients.
public final class Listener {
    private(set) var socket: ListeningSocket
    let handler: any CallHandler

    /// Calls that come through this socket go to that handler.
    public init(_ socket: consuming ListeningSocket, _ handler: any CallHandler) {
        self.socket = socket
        self.handler = handler
    }

    /// Replaces its socket, whose path was removed, with a new one at the same path.
    func renew() throws(SystemError) { socket = try socket.boundAnew() }
}
