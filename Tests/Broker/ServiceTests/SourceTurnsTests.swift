import Readings
import TestTools
import Testing

@testable import Service

@Suite("The order of sources in a turn")
struct SourceTurnsTests {
    @Test("The source that took least the last time comes first")
    func quickSourcesFirst() {
        var turns = SourceTurns()
        var ready = [0, 1, 2]
        turns.order(&ready, now: at(milliseconds: 0))
        #expect(ready == [0, 1, 2])
        turns.didServe(0, nanoseconds: 20_000_000)
        turns.didServe(1, nanoseconds: 30_000)
        turns.didServe(2, nanoseconds: 10_000)
        ready = [0, 1, 2]
        turns.order(&ready, now: at(milliseconds: 50))
        #expect(ready == [2, 1, 0])
    }

    @Test("A slow source that has waited for as long as it takes comes before a quick one")
    func nobodyStarves() {
        var turns = SourceTurns()
        var ready = [0, 1]
        turns.order(&ready, now: at(milliseconds: 0))
        turns.didServe(0, nanoseconds: 20_000_000)
        turns.didServe(1, nanoseconds: 1_000_000)
        var servedAt: Int64?
        for now in stride(from: Int64(0), to: 100, by: 1) {
            ready = [0, 1]
            turns.order(&ready, now: at(milliseconds: now))
            // There is time for one source in each turn, and the quick one is always ready.
            turns.didServe(ready[0], nanoseconds: ready[0] == 0 ? 20_000_000 : 1_000_000)
            if ready[0] == 0, servedAt == nil { servedAt = now }
        }
        #expect(servedAt == 19)
    }

    @Test("The order of equals does not depend on the order in which they became ready")
    func equals() {
        var turns = SourceTurns()
        var ready = [3, 1, 2]
        turns.order(&ready, now: at(milliseconds: 0))
        #expect(ready == [1, 2, 3])
    }
}
