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
        #expect(
            clock.offset(bootNanoseconds: 1000, monotonicNanoseconds: 700, realtimeNanoseconds: 9000) == offset)
    }

    @Test("clocks that cannot be translated are not used", arguments: ["tai", "monotonic_raw", "", "BOOTTIME"])
    func unknown(name: String) { #expect(StampClock(name: name) == nil) }
}
