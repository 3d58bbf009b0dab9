/// The checksum of MCAP, as in zlib, Ethernet and PNG.
struct CRC32 {
    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { rest, _ in rest & 1 == 1 ? rest >> 1 ^ 0xEDB8_8320 : rest >> 1 }
    }

    private var state: UInt32 = 0xFFFF_FFFF

    /// The sum of the bytes so far.
    var sum: UInt32 { ~state }

    mutating func add(_ bytes: some Sequence<UInt8>) {
        let table = Self.table
        for byte in bytes { state = table[Int(UInt8(truncatingIfNeeded: state) ^ byte)] ^ state >> 8 }
    }

    static func of(_ bytes: some Sequence<UInt8>) -> UInt32 {
        var crc = Self()
        crc.add(bytes)
        return crc.sum
    }
}
