/// What became of bytes handed to a socket.
public enum SendOutcome: Equatable, Sendable {
    /// All of them are in the kernel.
    case sent
    /// The first so many are in the kernel; the rest must follow before anything else.
    case partly(Int)
    /// The socket is full; none were taken.
    case full
    /// The peer is gone or the socket failed, with this errno.
    case failed(Int32)
}
