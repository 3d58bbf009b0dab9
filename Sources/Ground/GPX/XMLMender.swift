/// Makes XML of what programs write that do not know its rules.
///
/// Names of tracks and places are put into files as they are: with an `&`, an entity of HTML, a control character, or in Latin-1 although
/// the file says UTF-8. The numbers of such a file are as good as those of others. Lines stay where they are.
struct XMLMender {
    /// The longest reference to a character: `&#x10FFFF;`.
    private static let longestReference = 10
    private static let names: Set<String> = ["amp", "lt", "gt", "quot", "apos"]

    /// The beginning of a character or of a reference.
    private var rest: [UInt8] = []

    /// The next piece as UTF-8 without what is not allowed.
    mutating func mend(_ piece: [UInt8], isLast: Bool) -> [UInt8] {
        let bytes = rest + piece
        var mended: [UInt8] = []
        mended.reserveCapacity(bytes.count)
        var index = 0
        while let special = bytes[index...].firstIndex(where: { Self.isSpecial($0) }) {
            mended += bytes[index..<special]
            index = special
            let most = bytes[special] == UInt8(ascii: "&") ? Self.longestReference : 4
            let window = bytes[special...].prefix(most)
            guard isLast || window.count == most else { break }
            let (text, count) = Self.mended(window)
            mended += text
            index += count
        }
        let isWhole = index == bytes.count || !Self.isSpecial(bytes[index])
        if isWhole { mended += bytes[index...] }
        rest = isWhole ? [] : Array(bytes[index...])
        return mended
    }

    private static func isSpecial(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "&") || byte >= 128 || byte < 32 && !(9...10).contains(byte) && byte != 13
    }

    /// What stands at the front, and how many bytes it replaces.
    private static func mended(_ window: ArraySlice<UInt8>) -> (text: [UInt8], count: Int) {
        guard let first = window.first else { return ([], 0) }
        if first == UInt8(ascii: "&") {
            guard let end = window.firstIndex(of: UInt8(ascii: ";")), isReference(window[(window.startIndex + 1)..<end])
            else { return (Array("&amp;".utf8), 1) }
            return (Array(window[...end]), end + 1 - window.startIndex)
        }
        guard first >= 128 else { return ([32], 1) }
        for count in 2...4 where window.count >= count {
            let text = window.prefix(count)
            guard let scalars = String(validating: text, as: UTF8.self)?.unicodeScalars, let scalar = scalars.first,
                scalars.count == 1
            else { continue }
            return isAllowed(scalar.value) ? (Array(text), count) : ([32], count)
        }
        // Latin-1.
        return (Array(String(Unicode.Scalar(first)).utf8), 1)
    }

    private static func isReference(_ name: ArraySlice<UInt8>) -> Bool {
        let text = String(decoding: name, as: UTF8.self)
        guard text.hasPrefix("#") else { return names.contains(text) }
        let isHexadecimal = text.hasPrefix("#x")
        let digits = text.dropFirst(isHexadecimal ? 2 : 1)
        guard digits.first != "+", let value = UInt32(digits, radix: isHexadecimal ? 16 : 10) else { return false }
        return isAllowed(value)
    }

    /// The characters of XML 1.0.
    private static func isAllowed(_ value: UInt32) -> Bool {
        switch value {
        case 9, 10, 13, 32...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
        default: false
        }
    }
}
