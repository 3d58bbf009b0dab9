/// What a user was charged with; it is given back when this goes, so that a leak cannot be written.
public struct Charge: ~Copyable {
    /// How much.
    public let amount: Int
    private let user: UInt32
    private let quota: Quota

    init(_ amount: Int, of user: UInt32, from quota: Quota) {
        self.amount = amount
        self.user = user
        self.quota = quota
    }

    deinit { quota.giveBack(amount, of: user) }
}
