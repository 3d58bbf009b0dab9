import Printable
import Testing

@Suite struct PrintableTextTests {
    @Test(arguments: [
        ("\u{0}", "\\u0000"), ("\u{1B}[2J", "\\u001b[2J"), ("\u{7F}", "\\u007f"), ("\u{80}", "\\u0080"),
        ("\u{9B}2J", "\\u009b2J"), ("\u{9F}", "\\u009f"), ("a\r\nb", "a\\u000d\\u000ab"), ("\t", "\\u0009"),
        ("\u{202A}", "\\u202a"), ("\u{202E}gpj", "\\u202egpj"), ("\u{2066}", "\\u2066"), ("\u{2069}", "\\u2069"),
        ("\u{200E}", "\\u200e"), ("\u{200F}", "\\u200f"), ("\u{61C}", "\\u061c"), ("\u{2028}", "\\u2028"),
        ("\u{2029}", "\\u2029"), ("\u{85}", "\\u0085"), ("\u{FEFF}", "\\ufeff"), ("\u{200B}", "\\u200b"),
        ("\u{E0041}", "\\udb40\\udc41"), ("\u{1D173}", "\\ud834\\udd73"),
    ])
    func controlsAreEscaped(_ text: String, _ escaped: String) {
        #expect(text.printable == escaped)
    }

    @Test(arguments: [
        "", "IMU", "Gerät 48.1°N ±3 m/s²", "加速度計", "حساس", "👩‍🔧", "می‌خواهم", "a\\u001b", "\u{A0}", "\u{FFFD}",
    ])
    func everythingElseStays(_ text: String) {
        #expect(text.printable == text)
    }

    @Test func linesMayStay() {
        #expect("a\nb\u{1B}\r\n".printableLines == "a\nb\\u001b\\u000d\n")
    }

    @Test func aTextIsCutBeforeItIsEscaped() {
        #expect("abc".printable(atMost: 3) == "abc")
        #expect("ab\u{1B}d".printable(atMost: 3) == "ab\\u001b…")
    }

    /// The C0 and C1 controls, DEL, and every character of which Unicode says that it turns the direction of text.
    @Test func noControlIsForgotten() {
        for value in UInt32(0)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let isOne = value < 0x20 || (0x7F..<0xA0).contains(value) || scalar.properties.isBidiControl
            if isOne { #expect(scalar.isControl, "U+\(String(value, radix: 16))") }
        }
    }
}
