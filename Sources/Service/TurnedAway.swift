internal import Platform
internal import Readings

/// A client that could not be let in, and has been told so.
///
/// Its socket stays open for a moment: most clients send their call before they read, and closed at once they would get
/// EPIPE for it and never see the word.
final class TurnedAway {
    let closesAt: BootTime
    private let socket: UnixSocket

    init(_ socket: consuming UnixSocket, closesAt: BootTime) {
        self.socket = socket
        self.closesAt = closesAt
    }
}
