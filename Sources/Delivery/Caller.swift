/// Whose calls are counted together: a user's, whatever number of connections they come by.
///
/// Those to the administrator's socket are apart: a user's own flood at the other one does not hold them up.
public struct Caller: Hashable, Sendable {
    /// The user.
    public let userID: UInt32
    /// Whether it calls at the administrator's socket.
    public let isAdministrating: Bool

    /// A user, at one of the two sockets.
    public init(userID: UInt32, isAdministrating: Bool) {
        self.userID = userID
        self.isAdministrating = isAdministrating
    }
}
