import Admission
import Testing

@Suite struct QuotaTests {
    private func quota(_ total: Int, perUser: Int = .max) -> Quota {
        Quota(Quota.Terms(total: total, perUser: perUser, perTrustedUser: total / 4 * 3))
    }

    /// Takes one charge after the other, as long as there is any.
    private func takeAll(_ quota: Quota, _ user: UInt32, isTrusted: Bool = false) -> Held {
        let held = Held()
        while let charge = quota.charge(1, to: user, isTrusted: isTrusted) { held.take(charge) }
        return held
    }

    /// Charges in a list, which arrays cannot hold.
    private final class Held {
        private final class Link {
            let charge: Charge
            let next: Link?
            init(_ charge: consuming Charge, _ next: Link?) {
                self.charge = charge
                self.next = next
            }
        }
        private var first: Link?
        private(set) var count = 0

        func take(_ charge: consuming Charge) {
            first = Link(charge, first)
            count += 1
        }
    }

    /// Whether a user could have this much now.
    private func allows(_ quota: Quota, _ amount: Int, _ user: UInt32, isTrusted: Bool = false) -> Bool {
        quota.charge(amount, to: user, isTrusted: isTrusted) != nil
    }

    @Test("of 1,024, the first user gets 512 and not 513, the second 170 and not 171")
    func exact() {
        let quota = quota(1_024)
        let held = Held()
        for (user, most) in [(1, 512), (2, 170), (3, 85)] as [(UInt32, Int)] {
            #expect(!allows(quota, most + 1, user))
            if let charge = quota.charge(most, to: user) { held.take(charge) }
        }
        #expect(held.count == 3)
        #expect(quota.charged == 767)
        #expect(!allows(quota, 1, 1))
    }

    @Test("each of n users gets at least 1/n² of all, in any order", arguments: 1...12)
    func fair(users: Int) {
        let quota = quota(4_096)
        var held: [Held] = []
        for user in 0..<users { held.append(takeAll(quota, UInt32(user))) }
        for user in held { #expect(user.count >= 4_096 / ((users + 1) * (users + 1))) }
        #expect(quota.charged == held.reduce(0) { $0 + $1.count })
    }

    @Test("nobody has more than the bound of a user")
    func bounded() {
        let quota = quota(1_024, perUser: 128)
        #expect(takeAll(quota, 1).count == 128)
        #expect(quota.bound(isTrusted: false) == 128)
    }

    @Test("trusted users get three quarters, and leave something for others")
    func trusted() {
        let quota = quota(1_024, perUser: 128)
        let root = takeAll(quota, 0, isTrusted: true)
        #expect(root.count == 768)
        let other = takeAll(quota, 1_000)
        // 256 are left for two users: a third.
        #expect(other.count == 85)
        #expect(quota.share(of: 0) == 768)
    }

    @Test("every charge that ends is given back completely")
    func givesBack() {
        let quota = quota(1_024)
        do {
            let held = takeAll(quota, 7)
            if let large = quota.charge(100, to: 8) {
                #expect(large.amount == 100)
                held.take(large)
            }
            #expect(held.count == 513)
            #expect(quota.charged == 612)
        }
        #expect(quota.charged == 0)
        #expect(quota.share(of: 7) == 0 && quota.share(of: 8) == 0)
        // They no longer count: a single user gets half again.
        #expect(takeAll(quota, 9).count == 512)
    }

    @Test("absurd amounts are refused without a trap", arguments: [Int.max, Int.max / 2, 1_025, -1, Int.min])
    func absurd(amount: Int) {
        let quota = quota(1_024)
        #expect(!allows(quota, amount, 1))
        #expect(!allows(quota, amount, 1, isTrusted: true))
        let huge = Quota(Quota.Terms(total: .max, perUser: .max))
        _ = huge.charge(amount, to: 1)
        #expect(quota.charged == 0)
    }

    @Test("lower limits take nothing back, and admit nothing more")
    func newTerms() {
        let quota = quota(1_024)
        let held = takeAll(quota, 1)
        quota.terms = Quota.Terms(total: 100, perUser: 10)
        #expect(quota.share(of: 1) == held.count)
        #expect(!allows(quota, 1, 1))
        #expect(!allows(quota, 1, 2))
    }

    @Test("what another process granted is charged whatever the terms are, and counts")
    func again() {
        let quota = quota(8, perUser: 2)
        let held = Held()
        for _ in 0..<20 { held.take(quota.chargeAgain(1, to: 1)) }
        #expect(quota.share(of: 1) == 20 && quota.charged == 20)
        #expect(!allows(quota, 1, 1) && !allows(quota, 1, 2) && !allows(quota, 1, 0, isTrusted: true))
    }
}
