import Readings
import Testing

@Suite("An instant of boot time") struct BootTimeTests {
    @Test("stays within its range at both ends")
    func saturates() {
        #expect((BootTime(nanoseconds: .max) + 1).nanoseconds == .max)
        #expect((BootTime(nanoseconds: .min) + -1).nanoseconds == .min)
        #expect(BootTime(nanoseconds: .max) - BootTime(nanoseconds: .min) == .max)
        #expect(BootTime(nanoseconds: .min) - BootTime(nanoseconds: .max) == .min)
        #expect(BootTime(nanoseconds: 7) - BootTime(nanoseconds: 10) == -3)
    }

    @Test("is the earlier of two, either of which may be nil")
    func earlier() {
        let early = BootTime(nanoseconds: 1)
        let late = BootTime(nanoseconds: 2)
        #expect(BootTime.earlier(early, late) == early)
        #expect(BootTime.earlier(late, early) == early)
        #expect(BootTime.earlier(nil, late) == late)
        #expect(BootTime.earlier(late, nil) == late)
        #expect(BootTime.earlier(nil, nil) == nil)
    }
}

@Suite("A number that becomes an integer") struct FixedWidthIntegerClampingTests {
    @Test("loses its decimals, and nothing else, within the range")
    func within() {
        for (value, whole) in [(0.9, 0), (-0.9, 0), (41.999, 41), (-41.999, -41), (1e15, 1_000_000_000_000_000)] {
            #expect(Int(clamping: value) == whole)
        }
        #expect(UInt8(clamping: 255.9) == 255)
        #expect(Int64(clamping: Double(Int64.min)) == .min)
    }

    @Test("is clamped into the range from anywhere, without a trap")
    func beyond() {
        for value in [.infinity, .greatestFiniteMagnitude, 1e19, 0x1p63] { #expect(Int64(clamping: value) == .max) }
        for value in [-Double.infinity, -.greatestFiniteMagnitude, -1e19] { #expect(Int64(clamping: value) == .min) }
        for value in [Double.nan, .signalingNaN] { #expect(Int64(clamping: value) == 0) }
        #expect(UInt64(clamping: -1.0) == 0 && UInt8(clamping: 256.0) == 255 && Int8(clamping: -129.5) == -128)
    }
}

@Suite("The intervals that a device offers") struct OfferedIntervalsTests {
    @Test("have a shortest one")
    func shortest() {
        #expect(OfferedIntervals.discrete([5, 10]).shortestNanoseconds == 5)
        #expect(OfferedIntervals.range(shortestNanoseconds: 3, longestNanoseconds: 9).shortestNanoseconds == 3)
        #expect(OfferedIntervals.fixed(shortestNanoseconds: 4).shortestNanoseconds == 4)
    }
}

@Suite("A resource's name") struct ResourceNameTests {
    @Test(
        "is a lower-case word, optionally with a suffix after a colon",
        arguments: ["location", "accelerometer:1", "x:A-b_c.9"])
    func accepted(text: String) {
        #expect(ResourceName(text)?.description == text)
    }

    @Test(
        "has no other form",
        arguments: [
            "", ":", "location:", ":1", "Location", "locatión", "loc ation", "location:1:2", "location:a b",
            "../location",
            "location\u{0}", String(repeating: "a", count: 65), "location:" + String(repeating: "a", count: 65),
        ])
    func refused(text: String) { #expect(ResourceName(text) == nil) }
}
