import Admission
import Delivery
import Readings
import Testing

@testable import Service

/// The pace of calls by a clock of the test, without sockets.
@Suite("The rate of calls") struct CallPacingTests {
    private final class World {
        var now = BootTime(nanoseconds: 10_000_000_000)
        var hasStreams = false
    }

    private let world = World()
    private let pacing: CallPacing

    init() {
        pacing = CallPacing(clock: { [world] in world.now }, hasStreams: { [world] in world.hasStreams })
    }

    private func user(_ number: UInt32) -> Caller { Caller(userID: number, isTrusted: false, isAdministrating: false) }

    private func token(_ slot: UInt32) -> ConnectionToken { ConnectionToken(slot: slot, generation: 1) }

    private func enqueue(_ slots: Range<UInt32>, of caller: Caller) {
        for slot in slots { pacing.enqueue(token(slot), of: caller) }
    }

    /// Serves a turn in which each connection makes one call that takes this long; returns whose calls were answered.
    private func turn(callNanoseconds: Int64) -> [UInt32] {
        var served: [UInt32] = []
        let now = world.now
        pacing.beginTurn()
        pacing.beginServing()
        while let (caller, _) = pacing.next(isFirst: served.isEmpty, now: now) {
            served.append(caller.userID)
            pacing.account(for: caller, now) {
                world.now = world.now + callNanoseconds
                return pacing.didAnswer(bytes: 100)
            }
        }
        return served
    }

    @Test("has a time limit per turn, and answers one call in any case")
    func time() {
        enqueue(0..<10, of: user(1))
        #expect(turn(callNanoseconds: Limits.callTurnNanoseconds * 3) == [1])
        #expect(turn(callNanoseconds: Limits.callTurnNanoseconds / 2).count == 2)
    }

    @Test("has a number per turn, of which long calls use more")
    func number() {
        enqueue(0..<100, of: user(1))
        #expect(turn(callNanoseconds: 0).count == Limits.allCallsPerTurn)
        pacing.beginTurn()
        #expect(pacing.didAnswer(bytes: 10 * Limits.bytesOfCheapCall) == 11)
        #expect(pacing.mayAnswer(after: Limits.callsPerTurn - 1) == !pacing.isTimeUp)
        #expect(!pacing.mayAnswer(after: Limits.callsPerTurn))
    }

    @Test("a user with one call is answered among another user's hundred")
    func fair() {
        enqueue(0..<100, of: user(1))
        #expect(turn(callNanoseconds: Limits.callTurnNanoseconds) == [1])
        enqueue(100..<101, of: user(2))
        let next = turn(callNanoseconds: Limits.callTurnNanoseconds) + turn(callNanoseconds: Limits.callTurnNanoseconds)
        #expect(next.contains(2))
    }

    @Test("calls wait until they have their share of the time again if there are streams, and otherwise do not")
    func share() throws {
        enqueue(0..<100, of: user(1))
        world.hasStreams = true
        for _ in 0..<20 where pacing.nextService.map({ $0 <= world.now }) ?? false {
            _ = turn(callNanoseconds: Limits.callTurnNanoseconds)
        }
        let opensAt = try #require(pacing.nextService)
        #expect(opensAt > world.now)
        #expect(turn(callNanoseconds: 0).isEmpty)
        world.hasStreams = false
        #expect(!turn(callNanoseconds: 0).isEmpty)
    }

    @Test("records whose account is charged during an action, and which connections began to wait")
    func acting() {
        enqueue(0..<2, of: user(7))
        var visited: [ConnectionToken] = []
        pacing.forEachNewlyQueued { visited.append($0) }
        pacing.forEachNewlyQueued { _ in Issue.record("visited twice") }
        #expect(visited == [token(0), token(1)])
        pacing.account(for: user(7), world.now) {
            #expect(pacing.acting == user(7))
            return 1
        }
        #expect(pacing.acting == nil)
        #expect(!pacing.isEmpty)
    }
}
