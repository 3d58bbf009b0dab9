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

    /// The numbers in the words at an offset and at each step from there; the word has a `format`.
    func numbers(in bytes: [UInt8], from offset: Int, every step: Int, count: Int) -> [Int64] {
        switch storageBits {
        case 8: numbers(UInt8.self, in: bytes, offset, step, count)
        case 16: numbers(UInt16.self, in: bytes, offset, step, count)
        case 32: numbers(UInt32.self, in: bytes, offset, step, count)
        default: numbers(UInt64.self, in: bytes, offset, step, count)
        }
    }

    private func numbers<Word: FixedWidthInteger & BitwiseCopyable>(
        _: Word.Type, in bytes: [UInt8], _ offset: Int, _ step: Int, _ count: Int
    ) -> [Int64] {
        // A loop of its own for each kind of word: thousands come at once.
        switch (isBigEndian, isSigned) {
        case (false, false): numbers(in: bytes, offset, step, count) { (word: Word) in unsigned(word.littleEndian) }
        case (false, true): numbers(in: bytes, offset, step, count) { (word: Word) in signed(word.littleEndian) }
        case (true, false): numbers(in: bytes, offset, step, count) { (word: Word) in unsigned(word.bigEndian) }
        case (true, true): numbers(in: bytes, offset, step, count) { (word: Word) in signed(word.bigEndian) }
        }
    }

    @inline(__always)
    private func numbers<Word: FixedWidthInteger & BitwiseCopyable>(
        in bytes: [UInt8], _ offset: Int, _ step: Int, _ count: Int, _ number: (Word) -> Int64
    ) -> [Int64] {
        let span = bytes.span
        var numbers = [Int64](repeating: 0, count: count)
        var written = numbers.mutableSpan
        var start = offset
        for index in written.indices {
            // Any bits are a word, and the span checks its bounds.
            written[index] = number(unsafe span.bytes.unsafeLoadUnaligned(fromByteOffset: start, as: Word.self))
            start += step
        }
        return numbers
    }

    private func unsigned(_ word: some FixedWidthInteger) -> Int64 { Int64(bitPattern: aligned(word) &>> unused) }

    private func signed(_ word: some FixedWidthInteger) -> Int64 { Int64(bitPattern: aligned(word)) &>> Int64(unused) }

    /// The bits of the number, the highest of which is that of the result.
    private func aligned(_ word: some FixedWidthInteger) -> UInt64 {
        (UInt64(truncatingIfNeeded: word) &>> UInt64(shift)) &<< unused
    }

    private var unused: UInt64 { UInt64(64 - realBits) }
}
