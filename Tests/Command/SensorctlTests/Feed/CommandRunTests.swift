import Testing

@testable import sensorctl

/// When a feed's command runs.
@Suite struct CommandRunTests {
    private static let second: Int64 = 1_000_000_000

    @Test("it runs while it is wanted; then SIGTERM, and SIGKILL two seconds later")
    func wanted() {
        var run = CommandRun()
        #expect(run.deed(isWanted: false, 0) == nil && run.deadline(0) == nil)
        #expect(run.deed(isWanted: true, 1) == .start && run.isThere)
        #expect(run.deed(isWanted: true, 2) == nil && run.deadline(2) == nil)
        #expect(!run.isEnding && run.deed(isWanted: false, Self.second) == .terminate && run.isEnding)
        #expect(run.deadline(Self.second) == Self.second + Self.second / 20)
        // Wanted again: only when it is over.
        #expect(run.deed(isWanted: true, 2 * Self.second) == nil)
        #expect(run.deed(isWanted: true, 3 * Self.second) == .kill)
        #expect(run.end(3 * Self.second) == nil && !run.isThere)
        #expect(run.deed(isWanted: true, 3 * Self.second) == .start)
    }

    @Test("what cannot even be killed is given up after a second")
    func stuck() {
        var run = CommandRun()
        _ = run.deed(isWanted: true, 0)
        _ = run.deed(isWanted: false, 0)
        #expect(run.deed(isWanted: false, 2 * Self.second) == .kill)
        #expect(run.deed(isWanted: true, 3 * Self.second) == nil && !run.isThere)
        #expect(run.deed(isWanted: true, 3 * Self.second) == .start)
    }

    @Test("one that ends is started again after growing pauses, which a long run or a rest makes short again")
    func again() {
        var run = CommandRun()
        var now: Int64 = 0
        var pauses: [Int64] = []
        for _ in 0..<8 {
            #expect(run.deed(isWanted: true, now) == .start)
            let pause = run.end(now) ?? 0
            pauses.append(pause / 100_000_000)
            #expect(run.deed(isWanted: true, now + pause - 1) == nil && run.deadline(now) == now + pause)
            now += pause
        }
        #expect(pauses == [5, 10, 20, 40, 80, 160, 300, 300])
        _ = run.deed(isWanted: true, now)
        #expect(run.end(now + 10 * Self.second) == Self.second / 2)
        #expect(run.deed(isWanted: false, now) == nil && run.deadline(now) == nil)
        #expect(run.deed(isWanted: true, now) == .start)
    }
}
