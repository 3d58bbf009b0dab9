/// Text as tables have it: in UTF-8, or in the code page of Windows, in which Excel saves a table as CSV.
enum WindowsText {
    /// The characters of the bytes from 128 to 159; all others are those of Latin-1.
    private static let symbols = Array(
        "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}\u{90}‘’“”•–—˜™š›œ\u{9D}žŸ".unicodeScalars)

    /// Text that is not UTF-8 is in the code page: a degree, a micro or a power of two would be lost.
    static func string(_ bytes: ArraySlice<UInt8>) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        var text = String.UnicodeScalarView()
        for byte in bytes {
            text.append((128..<160).contains(byte) ? symbols[Int(byte) - 128] : Unicode.Scalar(byte))
        }
        return String(text)
    }
}
