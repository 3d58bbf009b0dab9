import Testing

@testable import IIO

@Suite struct CaptureLadderTests {
    private let all: [CaptureRung] = [.trigger, .fifo, .timer]

    private func opened(_ ladder: inout CaptureLadder, _ device: String = "a") -> CaptureRung {
        ladder.begin()
        ladder.found(device, all)
        return ladder.rung
    }

    @Test("a method that the driver refuses is followed by the next at once, down to polling")
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

    @Test("buffers that never deliver are skipped one after the other, and tried again once a method has worked")
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

    @Test("a buffer that has delivered once is never skipped again")
    func proven() {
        var ladder = CaptureLadder()
        _ = opened(&ladder)
        ladder.didDeliver()
        for _ in 1...3 {
            ladder.wasSilent()
            #expect(opened(&ladder) == .trigger)
        }
    }

    @Test("the history of one device does not apply to another")
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

    @Test("an opening that failed for another reason clears the suspicions")
    func failed() {
        var ladder = CaptureLadder()
        _ = opened(&ladder)
        ladder.wasSilent()
        ladder.begin()
        #expect(opened(&ladder) == .trigger)
    }
}
