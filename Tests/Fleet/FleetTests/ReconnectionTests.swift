import Fleet
import Spool
import Testing

private let second: Int64 = 1_000_000_000

/// `Reconnection` behind a reference, so that an expectation may call it.
private final class Waits {
    private var reconnection = Reconnection()

    func wait(after end: Reconnection.End, isForeign: Bool, random: Double) -> Int64 {
        reconnection.wait(after: end, isForeign: isForeign, random: random)
    }

    var isTwin: Bool { reconnection.isTwin }
}

@Suite struct ReconnectionTests {
    @Test("the waits grow from a second to five minutes, spread at random")
    func grows() {
        let reconnection = Waits()
        var longest: [Int64] = []
        for _ in 0..<12 { longest.append(reconnection.wait(after: .unreachable, isForeign: false, random: 1) / second) }
        #expect(longest == [2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300, 300])
        #expect(reconnection.wait(after: .unreachable, isForeign: false, random: 0) == second)
        _ = reconnection.wait(after: .lost(livedNanoseconds: 60 * second), isForeign: false, random: 1)
        #expect(reconnection.wait(after: .unreachable, isForeign: false, random: 1) == 4 * second)
    }

    @Test("a server that accepts the client and is killed again and again is not given up for minutes")
    func killed() {
        let reconnection = Waits()
        for _ in 0..<12 { _ = reconnection.wait(after: .unreachable, isForeign: false, random: 1) }
        for _ in 0..<10 {
            #expect(
                reconnection.wait(after: .lost(livedNanoseconds: second), isForeign: false, random: 1) == 16 * second)
        }
    }

    @Test("a server that does not accept the client is asked slowly")
    func credentials() {
        for reason: Int32 in [4, 5, 0x86, 0x87, 0x8A] {
            let reconnection = Waits()
            #expect(
                reconnection.wait(after: .refused(Refusal(refusedFor: reason)), isForeign: false, random: 0) == 60
                    * second)
        }
        let reconnection = Waits()
        #expect(reconnection.wait(after: .refused(Refusal(refusedFor: 0x88)), isForeign: false, random: 0) == second)
    }

    @Test(
        "the reason of an end decides how long to wait",
        arguments: [(0x87, 60), (0x98, 60), (0x9A, 1), (0x8E, 300), (0x8B, 1)] as [(Int32, Int64)])
    func disconnected(reason: Int32, seconds: Int64) {
        let end = Reconnection.End(disconnectedFor: Refusal(endedFor: reason), livedNanoseconds: 60 * second)
        #expect(Waits().wait(after: end, isForeign: false, random: 0) == seconds * second)
    }

    @Test("a server that refuses what it was given instead as well is asked ever more slowly", arguments: [0x84, 0x9A])
    func adapted(reason: Int32) {
        let reconnection = Waits()
        let end = Reconnection.End.refused(Refusal(refusedFor: reason))
        let waits = (0..<4).map { _ in reconnection.wait(after: end, isForeign: false, random: 1) / second }
        #expect(waits == [1, 2, 4, 8])
        _ = reconnection.wait(after: .lost(livedNanoseconds: 60 * second), isForeign: false, random: 1)
        #expect(reconnection.wait(after: end, isForeign: false, random: 1) == second)
    }

    @Test("two programs with one name leave each other in peace")
    func twins() {
        let reconnection = Waits()
        #expect(
            reconnection.wait(after: .takenOver, isForeign: false, random: 0) == 300 * second && reconnection.isTwin)
        let quiet = Waits()
        for _ in 0..<2 { _ = quiet.wait(after: .lost(livedNanoseconds: second), isForeign: true, random: 0) }
        #expect(!quiet.isTwin)
        #expect(
            quiet.wait(after: .lost(livedNanoseconds: second), isForeign: true, random: 0) == 300 * second
                && quiet.isTwin)
        let network = Waits()
        for _ in 0..<9 { _ = network.wait(after: .lost(livedNanoseconds: second), isForeign: false, random: 0) }
        #expect(!network.isTwin)
    }
}
