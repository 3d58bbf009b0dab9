import Testing

@testable import IIO

@Suite struct CaptureLadderTests {
    private let all: [CaptureRung] = [.trigger, .fifo, .timer]

    private func opened(_ ladder: inout CaptureLadder, _ device: String = "a") -> CaptureRung {
        ladder.begin()
        ladder.found(device, all)
        return ladder.rung
    }

    @Test("what the driver refuses is followed by the next way at once, down to polling")
    func refused() {
        var ladder = CaptureLadder()
        var rungs = [opened(&ladder)]
        for _ in 0..<4 {
            ladder.refused()
            ladder.found("a", all)
            rungs.append(ladder.rung)
        }
        #expect(rungs == [.trigger, .fifo, .timer, .polling, .polling])
        #expect(!ladder.isBelowSilence)
        #expect(opened(&ladder) == .trigger, "the next opening begins at the top")
    }

    @Test("buffers that never deliver are left out one after the other, and tried again once a way has held")
    func silent() {
        var ladder = CaptureLadder()
        var rungs: [CaptureRung] = []
        for _ in 0..<3 {
            rungs.append(opened(&ladder))
            ladder.wasSilent()
        }
        rungs.append(opened(&ladder))
        #expect(rungs == [.trigger, .fifo, .timer, .polling])
        #expect(ladder.isBelowSilence)
        #expect(opened(&ladder) == .trigger)
    }

    @Test("a buffer that has delivered once is never left out again")
    func proven() {
        var ladder = CaptureLadder()
        _ = opened(&ladder)
        ladder.didDeliver()
        for _ in 1...3 {
            ladder.wasSilent()
            #expect(opened(&ladder) == .trigger)
        }
    }

    @Test("what one device did says nothing about another")
    func another() {
        var ladder = CaptureLadder()
        _ = opened(&ladder)
        ladder.didDeliver()
        #expect(opened(&ladder, "b") == .trigger)
        ladder.wasSilent()
        #expect(opened(&ladder, "a") == .trigger)
        ladder.wasSilent()
        #expect(opened(&ladder, "a") == .fifo, "what it did before is forgotten")
    }

    @Test("an opening that failed otherwise forgets what was doubted")
    func failed() {
        var ladder = CaptureLadder()
        _ = opened(&ladder)
        ladder.wasSilent()
        ladder.begin()
        #expect(opened(&ladder) == .trigger)
    }
}
