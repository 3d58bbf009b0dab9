/// Writes numbers in little-endian order.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    init(capacity: Int = 0) { bytes.reserveCapacity(capacity) }

    /// Writes a number over another one of the same size.
    mutating func replace(at offset: Int, _ value: some FixedWidthInteger) {
        for index in 0..<value.bitWidth / 8 { bytes[offset + index] = UInt8(truncatingIfNeeded: value >> (8 * index)) }
    }

    mutating func put(_ value: some FixedWidthInteger) {
        unsafe withUnsafeBytes(of: value.littleEndian) { unsafe bytes.append(contentsOf: $0) }
    }

    mutating func put(_ identity: Identity) { bytes.append(contentsOf: identity.bytes) }

    /// A text of at most 255 bytes, after its length.
    mutating func put(_ text: String) {
        let utf8 = Array(text.utf8.prefix(255))
        bytes.append(UInt8(utf8.count))
        bytes.append(contentsOf: utf8)
    }

    mutating func put(_ more: some Collection<UInt8>) { bytes.append(contentsOf: more) }
}

/// Reads what `ByteWriter` wrote; each is nil where the bytes end too soon.
struct ByteReader {
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    mutating func number<Number: FixedWidthInteger & BitwiseCopyable>(_ type: Number.Type = Number.self) -> Number? {
        let width = MemoryLayout<Number>.size
        guard rest.count >= width else { return nil }
        // One load, which finds its bounds checked above.
        let value = unsafe rest.withUnsafeBytes { unsafe $0.loadUnaligned(as: type) }
        rest = rest[(rest.startIndex + width)...]
        return Number(littleEndian: value)
    }

    mutating func identity() -> Identity? {
        guard let identity = Identity(rest.prefix(Identity.size)) else { return nil }
        rest = rest.dropFirst(Identity.size)
        return identity
    }

    mutating func text() -> String? {
        guard let length = number(UInt8.self), rest.count >= Int(length) else { return nil }
        let text = String(validating: rest.prefix(Int(length)), as: UTF8.self)
        rest = rest.dropFirst(Int(length))
        return text
    }
}
