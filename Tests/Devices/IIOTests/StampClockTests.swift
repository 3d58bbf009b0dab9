import Testing

@testable import IIO

@Suite struct StampClockTests {
    @Test(
        "a timestamp plus the offset of its clock is boot time",
        arguments: [
            ("boottime", 0), ("monotonic", 300), ("realtime", -8000), ("monotonic_coarse", 300),
        ] as [(String, Int64)])
    func offsets(name: String, offset: Int64) throws {
        let clock = try #require(StampClock(name: name))
        #expect(clock.offset(boot: { 1000 }, monotonic: { 700 }, realtime: { 9000 }) == offset)
    }

    @Test("what interrupts a look at the clocks moves no stamps", arguments: ["monotonic", "realtime"])
    func interrupted(name: String) throws {
        var (now, looks): (Int64, Int) = (1_000, 0)
        func boot() -> Int64 {
            now += 100
            return now
        }
        func other() -> Int64 {
            looks += 1
            if looks == 1 { now += 5_000_000 }
            return now + 8_000
        }
        let offset = try #require(StampClock(name: name)).offset(boot: boot, monotonic: other, realtime: other)
        #expect((-8_000 ... -7_900).contains(offset))
    }

    @Test("clocks that cannot be translated are not used", arguments: ["tai", "monotonic_raw", "", "BOOTTIME"])
    func unknown(name: String) { #expect(StampClock(name: name) == nil) }
}
