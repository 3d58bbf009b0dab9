/// The checksum of Castagnoli, as iSCSI and ext4 have it: bytes that a dying disk changed are noticed.
enum CRC32C {
    /// Eight tables, so that eight bytes are looked up at once.
    private static let tables: [UInt32] = {
        var tables = [UInt32](repeating: 0, count: 8 * 256)
        for byte in 0..<256 {
            var value = UInt32(byte)
            for _ in 0..<8 { value = value & 1 == 1 ? (value >> 1) ^ 0x82F6_3B78 : value >> 1 }
            tables[byte] = value
        }
        for index in 256..<8 * 256 {
            let former = tables[index - 256]
            tables[index] = (former >> 8) ^ tables[Int(former & 0xFF)]
        }
        return tables
    }()

    static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        // Looked up without checks of bounds, which took most of the time: a byte is less than 256.
        unsafe tables.withUnsafeBufferPointer { tables in
            unsafe bytes.withUnsafeBytes { bytes in unsafe checksum(bytes, tables) }
        }
    }

    private static func checksum(_ bytes: UnsafeRawBufferPointer, _ tables: UnsafeBufferPointer<UInt32>) -> UInt32 {
        var value = ~UInt32(0)
        var offset = 0
        while offset + 8 <= bytes.count {
            let word = unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self).littleEndian ^ UInt64(value)
            value = 0
            for index in 0..<8 {
                unsafe value ^= tables[(7 - index) * 256 + Int((word >> UInt64(8 * index)) & 0xFF)]
            }
            offset += 8
        }
        while offset < bytes.count {
            unsafe value = (value >> 8) ^ tables[Int((value ^ UInt32(bytes[offset])) & 0xFF)]
            offset += 1
        }
        return ~value
    }
}
