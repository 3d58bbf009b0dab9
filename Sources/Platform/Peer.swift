/// Who connected, as of the moment of `connect`.
///
/// The ids are the kernel's word. A descriptor handed on to another process keeps the identity of the first, and a
/// process id may be reused, so it is for messages only and never for permission.
public struct Peer: Equatable, Sendable {
    /// The process that connected.
    public var processID: Int32
    /// Its effective user.
    public var userID: UInt32
    /// Its effective group.
    public var groupID: UInt32
    /// Its further groups, as of that moment.
    public var supplementaryGroupIDs: [UInt32] = []

    /// All its groups.
    public var allGroupIDs: Set<UInt32> { Set(supplementaryGroupIDs).union([groupID]) }
}
