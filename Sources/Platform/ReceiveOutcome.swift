/// What a read of a socket brought.
public enum ReceiveOutcome: Equatable, Sendable {
    /// So many bytes.
    case received(Int)
    /// Nothing for now.
    case nothing
    /// The peer writes no more.
    case ended
    /// The socket failed with this errno.
    case failed(Int32)
}
