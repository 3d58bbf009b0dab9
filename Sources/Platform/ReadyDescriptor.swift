/// What became ready, and for whom.
public struct ReadyDescriptor: Equatable, Sendable {
    /// The token under which the descriptor was added.
    public let token: UInt64
    /// There is something to read, or the peer writes no more.
    public let isReadable: Bool
    /// There is room to write.
    public let isWritable: Bool
    /// The peer is gone altogether: both directions are closed, or the descriptor failed.
    public let isHungUp: Bool
}
