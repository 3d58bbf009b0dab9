/// Sixteen bytes that name an epoch, or a boot of the host.
public struct Identity: Hashable, Comparable, Sendable, CustomStringConvertible {
    static let size = 16

    let bytes: [UInt8]

    /// An identity of exactly sixteen bytes.
    public init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.size else { return nil }
        self.bytes = Array(bytes)
    }

    /// Parses 32 hexadecimal digits, with or without hyphens, as in `/proc/sys/kernel/random/boot_id`.
    public init?(text: some StringProtocol) {
        guard let bytes = [UInt8](hexadecimal: text.utf8.filter { $0 != UInt8(ascii: "-") }[...]) else { return nil }
        self.init(bytes)
    }

    /// A new epoch: a UUID of version 7, so that epochs sort by the time of their beginning where the clock was right.
    public init(utcMicroseconds: Int64, random: (UInt64, UInt64)) {
        var writer = ByteWriter()
        let milliseconds = UInt64(clamping: utcMicroseconds / 1_000)
        let high = milliseconds << 16 | 0x7000 | (random.0 & 0x0FFF)
        let low = 1 << 63 | (random.1 >> 2)
        writer.put(high.byteSwapped)
        writer.put(low.byteSwapped)
        bytes = writer.bytes
    }

    /// Whether an epoch is older than another one, where the clock was right.
    public static func < (one: Self, other: Self) -> Bool { one.bytes.lexicographicallyPrecedes(other.bytes) }

    /// 32 hexadecimal digits.
    public var description: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}

extension [UInt8] {
    /// The bytes that hexadecimal digits stand for, two for each; nil if they are none.
    ///
    /// Of a slice, not of any collection: other modules get no version of a generic function for their type.
    public init?(hexadecimal digits: ArraySlice<UInt8>) {
        guard digits.count.isMultiple(of: 2) else { return nil }
        self = []
        reserveCapacity(digits.count / 2)
        var high: UInt8?
        for digit in digits {
            guard let value = Self.value(ofDigit: digit) else { return nil }
            if let first = high {
                append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
    }

    private static func value(ofDigit byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
