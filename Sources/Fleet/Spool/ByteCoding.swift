/// Writes numbers in little-endian order.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    init(capacity: Int = 0) { bytes.reserveCapacity(capacity) }

    /// Writes a number over another one of the same size.
    mutating func replace(at offset: Int, _ value: some FixedWidthInteger) {
        for index in 0..<value.bitWidth / 8 { bytes[offset + index] = UInt8(truncatingIfNeeded: value >> (8 * index)) }
    }

    mutating func put(_ value: some FixedWidthInteger) {
        var rest = value
        for _ in 0..<value.bitWidth / 8 {
            bytes.append(UInt8(truncatingIfNeeded: rest))
            rest >>= 8
        }
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

    mutating func number<Number: FixedWidthInteger>(_ type: Number.Type = Number.self) -> Number? {
        let width = Number.bitWidth / 8
        guard rest.count >= width else { return nil }
        var value: Number = 0
        for (index, byte) in rest.prefix(width).enumerated() {
            value |= Number(truncatingIfNeeded: byte) << (8 * index)
        }
        rest = rest.dropFirst(width)
        return value
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
