import Motion
import Testing

@Suite struct SameTests {
    @Test("the same samples yield the same results, to the last bit")
    func deterministic() {
        var play = Play()
        (play.jitter, play.rateNoise, play.accelerationNoise, play.fieldNoise) = (0.2, 0.01, 0.1, 1)
        play.gaps = [20..<20.5]
        var one = MotionFilter.compass()
        var other = MotionFilter.compass()
        play.run(&one, to: 40)
        play.run(&other, to: 40)
        #expect(one.attitude == other.attitude && one.rotation == other.rotation)
        #expect(one.bias == other.bias)
        #expect(one.tiltErrorRadians == other.tiltErrorRadians)
    }

    /// Compiles only if no part of it is on the heap.
    @Test("a filter is plain memory: there is nothing that a step could allocate")
    func plain() {
        func size<Plain: BitwiseCopyable>(_: Plain.Type) -> Int { MemoryLayout<Plain>.size }
        #expect(size(MotionFilter.self) < 2_000)
    }
}
