internal import Platform

/// Who may do what; by user id, which is the kernel's word.
extension Peer {
    /// Whether this peer may change a subscription of that one: the same user, or root.
    func mayChange(_ other: Peer) -> Bool { userID == other.userID || userID == 0 }

    /// Whether this peer may administer the broker: root, or the broker's own user.
    var isAdministrator: Bool { userID == 0 || userID == ProcessIdentity.userID }
}
