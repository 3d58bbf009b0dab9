/// The layout of an iiod's channel in a scan, from `le:s12/16>>4`.
struct RemoteWord: Equatable {
    let isBigEndian: Bool
    let isSigned: Bool
    let realBits: UInt32
    let storageBits: UInt32
    let shift: UInt32
    let repetitions: UInt32

    private static let mostStorageBits: UInt32 = 1024

    /// Reads a format; nil for one that no driver has.
    init?(_ text: String) {
        var rest = Substring(text)
        func take(_ word: String) -> Bool {
            guard rest.hasPrefix(word) else { return false }
            rest.removeFirst(word.count)
            return true
        }
        func number() -> UInt32? {
            let digits = rest.prefix { ("0"..."9").contains($0) }
            rest.removeFirst(digits.count)
            return UInt32(digits)
        }
        guard let endian = rest.popFirst(), endian == "l" || endian == "b", take("e:"), let sign = rest.popFirst(),
            "sSuU".contains(sign), let real = number(), take("/"), let storage = number()
        else { return nil }
        repetitions = take("X") ? number() ?? 0 : 1
        guard take(">>"), let shift = number(), rest.isEmpty else { return nil }
        isBigEndian = endian == "b"
        isSigned = sign == "s" || sign == "S"
        realBits = real
        storageBits = storage
        self.shift = shift
    }

    /// Its format as a number; nil if it is not a number of at most 64 bits.
    var format: SampleFormat? {
        SampleFormat(
            storageBits: storageBits, realBits: realBits, shift: shift, isSigned: isSigned, repetitions: repetitions)
    }

    /// How many bytes of a scan it takes; nil if it cannot be part of one.
    var bytes: Int? {
        guard storageBits >= 8, storageBits <= Self.mostStorageBits, storageBits.isMultiple(of: 8),
            (1...Self.mostStorageBits).contains(repetitions)
        else { return nil }
        return Int(storageBits / 8) * Int(repetitions)
    }

    /// The number in the word at an offset of a scan; the word has a `format`.
    func value(in bytes: [UInt8], at offset: Int) -> Int64 {
        let span = unsafe bytes.span.bytes
        func word<Word: FixedWidthInteger & BitwiseCopyable>(_: Word.Type) -> UInt64 {
            // Any bits are a word, and the span checks its bounds.
            let word = unsafe span.unsafeLoadUnaligned(fromByteOffset: offset, as: Word.self)
            return UInt64(truncatingIfNeeded: isBigEndian ? word.bigEndian : word.littleEndian)
        }
        let bits =
            switch storageBits {
            case 8: word(UInt8.self)
            case 16: word(UInt16.self)
            case 32: word(UInt32.self)
            default: word(UInt64.self)
            }
        let unused = UInt64(64 - realBits)
        let aligned = (bits >> UInt64(shift)) << unused
        return isSigned ? Int64(bitPattern: aligned) >> Int64(unused) : Int64(bitPattern: aligned >> unused)
    }
}
