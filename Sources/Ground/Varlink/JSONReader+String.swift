extension JSONReader {
    /// Reads the string whose opening quote is at the position.
    mutating func string() throws(JSONError) -> String {
        let start = position
        position += 1
        let first = position
        try skipPlainBytes()
        if bytes[position] == UInt8(ascii: "\"") {
            position += 1
            return try text(bytes[first..<position - 1], at: start)
        }
        var unescaped = Array(bytes[first..<position])
        while bytes[position] != UInt8(ascii: "\"") {
            try appendEscape(to: &unescaped)
            let next = position
            try skipPlainBytes()
            unescaped.append(contentsOf: bytes[next..<position])
        }
        position += 1
        return try text(unescaped[...], at: start)
    }

    private func text(_ bytes: ArraySlice<UInt8>, at offset: Int) throws(JSONError) -> String {
        // Decoding repairs what is invalid, and validating takes far longer; of ASCII, both make the same.
        if Self.isASCII(bytes) { return String(decoding: bytes, as: UTF8.self) }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw JSONError(.invalidUTF8, at: offset) }
        return text
    }

    private static func isASCII(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.reduce(0 as UInt8, |) < 0x80
    }

    /// Stops at a quote or a backslash.
    private mutating func skipPlainBytes() throws(JSONError) {
        while true {
            let byte = try peek()
            guard byte >= 0x20 else { throw JSONError(.controlCharacter, at: position) }
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return }
            position += 1
        }
    }

    private mutating func appendEscape(to text: inout [UInt8]) throws(JSONError) {
        let start = position
        position += 1
        let escaped = try peek()
        position += 1
        switch escaped {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(escaped)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        // Appends bytes instead of characters, which would be slow for a call that consists of escapes only.
        case UInt8(ascii: "u"): UTF8.encode(try escapedScalar(at: start)).map { text.append(contentsOf: $0) }
        default: throw JSONError(.invalidEscape, at: start)
        }
    }

    private mutating func escapedScalar(at start: Int) throws(JSONError) -> Unicode.Scalar {
        let high = try hexadecimal()
        if let scalar = Unicode.Scalar(high) { return scalar }
        guard (0xD800...0xDBFF).contains(high), try peek() == UInt8(ascii: "\\") else {
            throw JSONError(.loneSurrogate, at: start)
        }
        position += 1
        guard try peek() == UInt8(ascii: "u") else { throw JSONError(.loneSurrogate, at: start) }
        position += 1
        let low = try hexadecimal()
        guard (0xDC00...0xDFFF).contains(low),
            let scalar = Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00))
        else { throw JSONError(.loneSurrogate, at: start) }
        return scalar
    }

    private mutating func hexadecimal() throws(JSONError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = Self.digit(try peek()) else { throw JSONError(.invalidEscape, at: position) }
            value = value << 4 + UInt32(digit)
            position += 1
        }
        return value
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
