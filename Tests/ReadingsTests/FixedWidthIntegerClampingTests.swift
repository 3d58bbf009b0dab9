import Readings
import Testing

@Suite("A number that becomes an integer") struct FixedWidthIntegerClampingTests {
    @Test("loses its decimals, and nothing else, within the range")
    func within() {
        for (value, whole) in [(0.9, 0), (-0.9, 0), (41.999, 41), (-41.999, -41), (1e15, 1_000_000_000_000_000)] {
            #expect(Int(clamping: value) == whole)
        }
        #expect(UInt8(clamping: 255.9) == 255)
        #expect(Int64(clamping: Double(Int64.min)) == .min)
    }

    @Test("is moved into the range from anywhere, and traps nothing")
    func beyond() {
        for value in [.infinity, .greatestFiniteMagnitude, 1e19, 0x1p63] { #expect(Int64(clamping: value) == .max) }
        for value in [-Double.infinity, -.greatestFiniteMagnitude, -1e19] { #expect(Int64(clamping: value) == .min) }
        for value in [Double.nan, .signalingNaN] { #expect(Int64(clamping: value) == 0) }
        #expect(UInt64(clamping: -1.0) == 0 && UInt8(clamping: 256.0) == 255 && Int8(clamping: -129.5) == -128)
    }
}
