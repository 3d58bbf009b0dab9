/// Text in UTF-16, such as Excel's "Unicode text", as UTF-8.
package enum WideText {
    /// Whether a file begins so: with a byte order mark, or with two characters of ASCII.
    static func isWide(_ bytes: some Collection<UInt8>) -> Bool { isLittleEndian(bytes) != nil }

    /// The beginning of a file.
    static func head(_ bytes: [UInt8]) -> [UInt8] {
        var decoder = Decoder(isLittleEndian: isLittleEndian(bytes) ?? true)
        return decoder.decode(bytes[...])
    }

    /// The whole content, decoded if it has to be.
    package static func decoded(_ content: FileContent) throws(FormatError) -> FileContent {
        let first = try content.begin()
        var head: [UInt8] = []
        while head.count < 4 {
            let piece = try first()
            if piece.isEmpty { break }
            head += piece
        }
        guard let isLittle = isLittleEndian(head) else { return content }
        return FileContent { () throws(FormatError) in
            let pieces = try content.begin()
            var decoder = Decoder(isLittleEndian: isLittle)
            return { () throws(FormatError) in
                while true {
                    let piece = try pieces()
                    if piece.isEmpty { return [] }
                    let text = decoder.decode(piece[...])
                    if !text.isEmpty { return text }
                }
            }
        }
    }

    private static func isLittleEndian(_ bytes: some Collection<UInt8>) -> Bool? {
        let four = Array(bytes.prefix(4))
        if four.starts(with: [0xFF, 0xFE]) { return true }
        if four.starts(with: [0xFE, 0xFF]) { return false }
        guard four.count == 4 else { return nil }
        if four[0] > 8, four[1] == 0, four[2] > 8, four[3] == 0 { return true }
        if four[0] == 0, four[1] > 8, four[2] == 0, four[3] > 8 { return false }
        return nil
    }

    private struct Decoder {
        let isLittleEndian: Bool
        /// What may be a half of a character.
        private var rest: [UInt8] = []

        init(isLittleEndian: Bool) { self.isLittleEndian = isLittleEndian }

        mutating func decode(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
            let all = rest + bytes
            var units: [UInt16] = []
            units.reserveCapacity(all.count / 2)
            var index = 0
            while index + 1 < all.count {
                let (low, high) = isLittleEndian ? (all[index], all[index + 1]) : (all[index + 1], all[index])
                units.append(UInt16(high) << 8 | UInt16(low))
                index += 2
            }
            if let last = units.last, (0xD800..<0xDC00).contains(last) {
                units.removeLast()
                index -= 2
            }
            rest = Array(all[index...])
            return Array(String(decoding: units, as: UTF16.self).utf8)
        }
    }
}
