import Admission
import Readings
import Testing

@Suite struct AccessPolicyTests {
    private let policy = AccessPolicy.groups(readers: [.location: [10, 11], .acceleration: [20]], fastReaders: [30])

    @Test("before a policy is loaded, nobody may read anything, not even root")
    func notLoaded() {
        for isTrusted in [false, true] {
            let rights = AccessPolicy.notLoaded.rights(groups: [0, 10, 20, 30], isTrusted: isTrusted)
            #expect(rights == .none)
            for kind in Kind.all { #expect(!rights.mayRead(kind)) }
        }
    }

    @Test("one of the groups is enough, and each kind has its own")
    func groups() {
        let rights = policy.rights(groups: [1, 11], isTrusted: false)
        #expect(rights.mayRead(.location) && !rights.mayRead(.acceleration))
        #expect(policy.rights(groups: [1], isTrusted: false).kinds.isEmpty)
        #expect(policy.rights(groups: [], isTrusted: false).kinds.isEmpty)
    }

    @Test("a derived kind is readable by the readers of its source")
    func derived() {
        #expect(policy.rights(groups: [20], isTrusted: false).mayRead(.orientation))
        #expect(policy.rights(groups: [20], isTrusted: false).mayRead(.angularVelocity))
        #expect(!policy.rights(groups: [10], isTrusted: false).mayRead(.orientation))
    }

    @Test("a kind without groups is readable only by trusted users, unless its row has it otherwise")
    func closed() {
        let policy = AccessPolicy.groups(readers: [.location: [10]], fastReaders: [])
        let access = { (kind: Kind) -> KindRow.Access in kind == .orientation ? .like([.acceleration]) : .closed }
        #expect(policy.rights(groups: [10, 20], isTrusted: false, access: access).kinds == [.location])
        #expect(policy.rights(groups: [10, 20], isTrusted: true, access: access).kinds == Set(Kind.all))
        let groups = AccessPolicy.groups(readers: [.acceleration: [20]], fastReaders: [])
        #expect(groups.rights(groups: [20], isTrusted: false, access: access).kinds == [.acceleration, .orientation])
    }

    @Test("a kind that reveals several others is readable only by who may read them all")
    func several() {
        let policy = AccessPolicy.groups(readers: [.acceleration: [20], .angularVelocity: [30]], fastReaders: [])
        for groups: Set<UInt32> in [[20], [30], []] {
            #expect(!policy.rights(groups: groups, isTrusted: false).mayRead(.gravity), "\(groups)")
        }
        #expect(policy.rights(groups: [20, 30], isTrusted: false).mayRead(.gravity))
    }

    @Test("trusted users may read everything, fast; others may read an open kind, but not fast")
    func trusted() {
        #expect(
            policy.rights(groups: [], isTrusted: true) == AccessPolicy.everyone.rights(groups: [], isTrusted: false))
        let open = AccessPolicy.groups(readers: [:], fastReaders: []).rights(groups: [1], isTrusted: false)
        #expect(
            open.kinds == [
                .location, .acceleration, .orientation, .tilt, .angularVelocity, .gravity, .linearAcceleration,
                .inclination, .attitude, .attitudeError, .gyroscopeBias, .rest, .hinge,
            ])
        #expect(open.shortestNanoseconds == 5_000_000)
        #expect(policy.rights(groups: [30], isTrusted: false).shortestNanoseconds == 0)
        #expect(policy.rights(groups: [20], isTrusted: false).shortestNanoseconds == 5_000_000)
    }
}
