import Testing

@testable import Platform

@Suite("The host's two clocks") struct ClockPairTests {
    @Test("what interrupts a look at both makes no time wrong")
    func interrupted() {
        // The processor is taken away between the clocks of the first look, and of the second one after them.
        var boot: [Int64] = [100, 50_000_100, 50_000_200, 90_000_200, 90_000_300, 90_000_500]
        var wall: [Int64] = [7_000_100, 57_000_200, 97_000_400]
        let pair = ClockPair.read(boot: { boot.removeFirst() }, wall: { wall.removeFirst() })
        #expect(pair == ClockPair(bootNanoseconds: 90_000_400, utcNanoseconds: 97_000_400))
        #expect(boot.isEmpty && wall.isEmpty)
    }

    @Test("a host that interrupts each look is asked five times")
    func busy() {
        var (now, looks) = (Int64(0), 0)
        func boot() -> Int64 {
            now += 1_000_000
            return now
        }
        func wall() -> Int64 {
            looks += 1
            return now + 7
        }
        let pair = ClockPair.read(boot: boot, wall: wall)
        #expect(looks == 5 && abs(pair.utcNanoseconds - pair.bootNanoseconds) < 1_000_000)
    }

    @Test("the wall clock's offset stays the same until the clock is set")
    func steps() {
        var offset = WallClockOffset()
        func take(_ boot: Int64, _ utc: Int64) -> Int64 {
            offset.take(ClockPair(bootNanoseconds: boot, utcNanoseconds: utc))
        }
        #expect(take(100, 5_000_000_100) == 5_000_000_000)
        // The clocks drift.
        #expect(take(200, 5_000_500_200) == 5_000_000_000)
        #expect(take(400, 5_008_000_400) == 5_008_000_000)
        #expect(take(500, 500) == 0)
    }
}
