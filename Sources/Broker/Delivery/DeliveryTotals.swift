internal import Readings

/// What the clients of a resource have received and lost together, those included that have left; it never decreases.
///
/// Resources that are derived from this one are not clients.
public struct DeliveryTotals: Equatable, Sendable {
    /// Readings handed to their sockets.
    public private(set) var delivered = 0
    /// Readings that they will never receive.
    public private(set) var losses = Losses()

    /// Nothing yet.
    public init() {}

    /// Adds the account of a member.
    ///
    /// The newest reading that a full socket did not take is not lost yet: it follows if the socket drains in time. So it
    /// counts only once the member has left.
    mutating func add(_ member: Member, hasLeft: Bool) {
        guard case .connection = member.client else { return }
        delivered = delivered.addingSaturating(member.delivered)
        losses.add(member.losses)
        if !hasLeft, member.pendingGaps.mayShrink { losses[.slowClient] -= 1 }
    }

    /// Takes the account of a member out again: it goes on elsewhere, or was counted elsewhere.
    mutating func remove(_ member: Member, hasLeft: Bool) {
        guard case .connection = member.client else { return }
        delivered = delivered.subtractingSaturating(member.delivered)
        for cause in Gap.Cause.allCases {
            losses[cause] = losses[cause].subtractingSaturating(member.losses[cause])
        }
        if !hasLeft, member.pendingGaps.mayShrink { losses[.slowClient] += 1 }
    }
}
