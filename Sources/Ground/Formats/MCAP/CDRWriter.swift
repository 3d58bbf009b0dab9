/// Encodes a ROS 2 message: CDR, little-endian, each number at a multiple of its size after the header of four bytes.
struct CDRWriter {
    private(set) var bytes: [UInt8] = [0, 1, 0, 0]

    mutating func put(_ value: some FixedWidthInteger) {
        let size = value.bitWidth / 8
        while (bytes.count - 4) % size != 0 { bytes.append(0) }
        bytes.append(littleEndian: value)
    }

    mutating func put(_ value: Double) { put(value.bitPattern) }

    mutating func put(_ values: [Double]) { for value in values { put(value) } }

    /// A string ends in a NUL, so it cannot hold one.
    mutating func put(_ text: String) {
        let utf8 = text.utf8.filter { $0 != 0 }
        put(UInt32(clamping: utf8.count + 1))
        bytes += utf8
        bytes.append(0)
    }

    /// A `std_msgs/Header`: the time and the frame.
    mutating func putHeader(_ nanoseconds: Int64, frame: String) {
        put(Int32(clamping: nanoseconds / 1_000_000_000))
        put(UInt32(nanoseconds % 1_000_000_000))
        put(frame)
    }
}

extension [UInt8] {
    /// Appends the bytes of an integer, the lowest first.
    mutating func append(littleEndian value: some FixedWidthInteger) {
        for place in stride(from: 0, to: value.bitWidth, by: 8) { append(UInt8(truncatingIfNeeded: value >> place)) }
    }
}
