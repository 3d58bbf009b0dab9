import Testing

@testable import Fleet

@Suite struct VerifyPhaseTests {
    private let second: Int64 = 1_000_000_000

    @Test("it listens, waits for the numbers of all hosts, and for what they name")
    func usual() {
        var phase = VerifyPhase(0, listeningNanoseconds: 60 * second, resends: false)
        #expect(phase.advance(59 * second) == false)
        #expect(phase.advance(60 * second, silent: true) && phase.stage == .reporting)
        #expect(phase.advance(80 * second, silent: true) == false)
        #expect(phase.advance(89 * second) && phase.stage == .settling)
        #expect(phase.advance(90 * second, missing: 3) == false)
        #expect(phase.advance(99 * second, missing: 2) == false)
        #expect(phase.advance(108 * second, missing: 2) == false)
        #expect(phase.advance(109 * second, missing: 2) && phase.stage == .done)
    }

    @Test("a silent host is waited for as long as it takes to report, and no longer")
    func silent() {
        var phase = VerifyPhase(0, listeningNanoseconds: nil, resends: false)
        #expect(phase.advance(2 * second, hosts: false) == true)
        #expect(phase.advance(46 * second, hosts: false) == false)
        #expect(phase.advance(47 * second, silent: true) && phase.stage == .settling)
        #expect(phase.advance(48 * second) && phase.stage == .done)
    }

    @Test("while hosts are asked, it waits as long as asking has sense")
    func resending() {
        var phase = VerifyPhase(0, listeningNanoseconds: 0, resends: true)
        #expect(phase.advance(2 * second) && phase.advance(2 * second))
        #expect(phase.advance(40 * second, missing: 5) == false)
        #expect(phase.advance(41 * second, missing: 5, hopeless: true) == true)
    }

    @Test(
        "the first message of an epoch is waited for: it states where the one before ended", arguments: [false, true])
    func ends(resends: Bool) {
        var phase = VerifyPhase(0, listeningNanoseconds: 0, resends: resends)
        #expect(phase.advance(2 * second) && phase.advance(2 * second))
        var after = phase
        #expect(phase.advance(3 * second, lacksEnds: true) == false)
        #expect(phase.advance(13 * second, lacksEnds: true) && phase.stage == .done)
        #expect(after.advance(3 * second) && after.stage == .done)
    }
}

extension VerifyPhase {
    fileprivate mutating func advance(
        _ now: Int64, silent: Bool = false, hosts: Bool = true, missing: UInt64 = 0, hopeless: Bool = false,
        lacksEnds: Bool = false
    ) -> Bool {
        advance(
            now, hasSilent: silent, hasHosts: hosts, missing: missing, isHopeless: hopeless, lacksEnds: lacksEnds)
    }
}
