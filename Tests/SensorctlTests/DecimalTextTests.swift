import Testing

@testable import sensorctl

@Suite struct DecimalTextTests {
    @Test("numbers have the decimals that are asked for, rounded")
    func fixed() {
        #expect(DecimalText.fixed(48.1173, decimals: 6) == "48.117300")
        #expect(DecimalText.fixed(-0.0336, decimals: 3) == "-0.034")
        #expect(DecimalText.fixed(9.9996, decimals: 3) == "10.000")
        #expect(DecimalText.fixed(83.7, decimals: 0) == "84")
        #expect(DecimalText.fixed(-0.0001, decimals: 3) == "0.000")
    }

    @Test("a number too large for decimals, or none, is shown all the same")
    func extremes() {
        #expect(DecimalText.fixed(1e300, decimals: 3) == "1e+300")
        #expect(DecimalText.fixed(.infinity, decimals: 3) == "inf")
        #expect(DecimalText.fixed(.nan, decimals: 3) == "nan")
        #expect(DecimalText.fixed(Double(Int64.min), decimals: 0) == "-9223372036854775808")
    }

    @Test("signs and zeros")
    func variants() {
        #expect(DecimalText.signed(0.012, decimals: 3) == "+0.012")
        #expect(DecimalText.signed(-0.012, decimals: 3) == "-0.012")
        #expect(DecimalText.short(1.500, decimals: 3) == "1.5")
        #expect(DecimalText.short(20, decimals: 3) == "20")
        #expect(DecimalText.padded(7, to: 3) == "007")
    }
}
