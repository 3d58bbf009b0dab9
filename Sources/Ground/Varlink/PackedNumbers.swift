/// Numbers as text in half the room: base64 (RFC 4648, padded) of 32-bit words, little-endian, one after the other.
///
/// A measured value has no more digits than the 24 bits of a 32-bit IEEE 754 number hold. As a decimal one it takes some 160
/// instructions to write, and more to read; this way about 50.
public enum PackedNumbers {
    /// The numbers of a text; nil where it is not what `JSONWriter.packed` writes, or one of them is not finite, unless any will do.
    public static func numbers(_ text: String, finite: Bool = true) -> [Double]? {
        guard let numbers = words(text)?.map(Float.init(bitPattern:)), !finite || numbers.allSatisfy(\.isFinite) else {
            return nil
        }
        return numbers.map(Double.init)
    }

    /// The words of a text; nil where it is not what `JSONWriter.packed` writes.
    public static func words(_ text: String) -> [UInt32]? {
        let digits = Array(text.utf8)
        let padding = digits.suffix(2).count { $0 == UInt8(ascii: "=") }
        let count = digits.count / 4 * 3 - padding
        guard digits.count.isMultiple(of: 4), count.isMultiple(of: 4) else { return nil }
        var words: [UInt32] = []
        words.reserveCapacity(count / 4)
        // Low bytes come first; of a group of four digits the first byte is the high one.
        var (group, bits, bitCount): (UInt32, UInt64, UInt64) = (0, 0, 0)
        for (place, digit) in digits.enumerated() {
            let isPadding = place >= digits.count - padding
            guard let value = isPadding ? 0 : value(of: digit) else { return nil }
            group = group << 6 | value
            guard place % 4 == 3 else { continue }
            bits |= UInt64((group & 0xFF_FFFF).byteSwapped >> 8) << bitCount
            bitCount += 24
            group = 0
            if bitCount >= 32 {
                if words.count < count / 4 { words.append(UInt32(truncatingIfNeeded: bits)) }
                bits >>= 32
                bitCount -= 32
            }
        }
        // What is left is padding.
        return bits == 0 && words.count == count / 4 ? words : nil
    }

    /// The two digits of each twelve bits, the first one in the low byte.
    fileprivate static let pairs: [UInt32] = {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        return (0..<4_096).map { UInt32(digits[$0 >> 6]) | UInt32(digits[$0 & 63]) << 8 }
    }()

    private static func value(of digit: UInt8) -> UInt32? {
        switch digit {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(digit - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(digit - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(digit - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}

extension JSONWriter {
    /// Writes numbers as one string; the caller makes sure that they are finite as 32-bit numbers.
    public mutating func packed(_ numbers: [Double]) { packed(numbers, from: 0, every: 1, count: numbers.count) }

    /// The same of so many numbers, the first of which is at a place, and each next one a step further.
    public mutating func packed(_ numbers: [Double], from first: Int, every step: Int, count: Int) {
        let numbers = numbers.span
        var words = [UInt32](repeating: 0, count: count)
        var written = words.mutableSpan
        var place = first
        for index in 0..<count {
            written[index] = Float(numbers[place]).bitPattern
            place += step
        }
        packed(words)
    }

    /// Writes words as one string.
    public mutating func packed(_ words: [UInt32]) {
        separate()
        let count = words.count
        let (words, pairs) = (words.span, PackedNumbers.pairs.span)
        bytes.append(addingCapacity: (4 * count + 2) / 3 * 4 + 2) { text in
            text.append(UInt8(ascii: "\""))
            // Four digits of three bytes, the first of which is the high one.
            func digits(_ bytes: UInt64) -> UInt64 {
                let group = UInt32(truncatingIfNeeded: bytes).byteSwapped >> 8
                return UInt64(pairs[Int(group >> 12)] | pairs[Int(group & 0xFFF)] << 16)
            }
            // Three numbers are sixteen digits.
            let even = count / 3 * 3
            for place in stride(from: 0, to: even, by: 3) {
                let (low, high) = (UInt64(words[place]) | UInt64(words[place + 1]) << 32, UInt64(words[place + 2]))
                (digits(low) | digits(low >> 24) << 32).write(bytes: 8, to: &text)
                (digits(low >> 48 | high << 16) | digits(high >> 8) << 32).write(bytes: 8, to: &text)
            }
            var (rest, left) = (0 as UInt64, 4 * (count - even))
            for place in even..<count { rest |= UInt64(words[place]) << UInt64(32 * (place - even)) }
            while left >= 3 {
                UInt32(truncatingIfNeeded: digits(rest)).write(bytes: 4, to: &text)
                (rest, left) = (rest >> 24, left - 3)
            }
            if left > 0 {
                UInt32(truncatingIfNeeded: digits(rest)).write(bytes: left + 1, to: &text)
                for _ in left..<3 { text.append(UInt8(ascii: "=")) }
            }
            text.append(UInt8(ascii: "\""))
        }
    }
}

extension FixedWidthInteger where Self: BitwiseCopyable {
    /// Writes the low bytes of a word, the lowest first; there is room for all of them.
    func write(bytes: Int, to text: inout OutputSpan<UInt8>) {
        precondition(bytes <= bitWidth / 8 && bitWidth / 8 <= text.freeCapacity)
        unsafe text.withUnsafeMutableBufferPointer { buffer, count in
            let raw = UnsafeMutableRawBufferPointer(buffer)
            unsafe raw.storeBytes(of: littleEndian, toByteOffset: count, as: Self.self)
            count &+= bytes
        }
    }
}
