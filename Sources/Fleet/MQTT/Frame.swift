/// Messages between a program and the process of its connection: a length of four bytes, little-endian as all numbers, then a
/// kind, then its fields. What is read is checked as a stranger's: no length is believed before its bytes are there, nothing
/// may be left over, and a value has one form.

/// A frame that cannot be.
struct BrokenFrame: Error, Equatable {}

/// One frame that is being written.
struct FrameWriter {
    private(set) var bytes: [UInt8]

    /// The bytes of the length.
    static let headerBytes = 4

    init(kind: UInt8, capacity: Int = 64) {
        bytes = []
        bytes.reserveCapacity(capacity + 64)
        bytes += [0, 0, 0, 0, kind]
    }

    mutating func add(_ byte: UInt8) { bytes.append(byte) }

    mutating func add(_ flag: Bool) { bytes.append(flag ? 1 : 0) }

    mutating func add(_ number: UInt32) {
        for shift in [0, 8, 16, 24] as [UInt32] { bytes.append(UInt8(number >> shift & 255)) }
    }

    mutating func add(_ number: Int32) { add(UInt32(bitPattern: number)) }

    mutating func add(_ payload: some Collection<UInt8>) {
        add(UInt32(clamping: payload.count))
        bytes += payload
    }

    mutating func add(_ text: String) { add(text.utf8) }

    /// A value that may be absent.
    mutating func add<Value>(_ value: Value?, _ add: (inout Self, Value) -> Void) {
        self.add(value != nil)
        if let value { add(&self, value) }
    }

    /// The whole frame.
    consuming func finish() -> [UInt8] {
        assert(bytes.count > Self.headerBytes, "a frame has a kind")
        let count = UInt32(clamping: bytes.count - Self.headerBytes)
        for (index, shift) in ([0, 8, 16, 24] as [UInt32]).enumerated() { bytes[index] = UInt8(count >> shift & 255) }
        return bytes
    }
}

/// The fields of one frame.
struct FrameReader {
    private var rest: ArraySlice<UInt8>

    init(_ frame: ArraySlice<UInt8>) { rest = frame }

    mutating func byte() throws(BrokenFrame) -> UInt8 {
        guard let byte = rest.popFirst() else { throw BrokenFrame() }
        return byte
    }

    mutating func flag() throws(BrokenFrame) -> Bool {
        switch try byte() {
        case 0: return false
        case 1: return true
        default: throw BrokenFrame()
        }
    }

    mutating func unsigned() throws(BrokenFrame) -> UInt32 {
        var number: UInt32 = 0
        for shift in [0, 8, 16, 24] as [UInt32] { number |= UInt32(try byte()) << shift }
        return number
    }

    mutating func signed() throws(BrokenFrame) -> Int32 { Int32(bitPattern: try unsigned()) }

    /// A number that is counted with: it is not negative.
    mutating func count() throws(BrokenFrame) -> Int {
        let number = try signed()
        guard number >= 0 else { throw BrokenFrame() }
        return Int(number)
    }

    mutating func payload() throws(BrokenFrame) -> [UInt8] {
        let count = try count()
        guard count <= rest.count else { throw BrokenFrame() }
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    mutating func text() throws(BrokenFrame) -> String {
        guard let text = String(validating: try payload(), as: UTF8.self) else { throw BrokenFrame() }
        return text
    }

    mutating func optional<Value>(
        _ read: (inout Self) throws(BrokenFrame) -> Value
    ) throws(BrokenFrame) -> Value? {
        try flag() ? try read(&self) : nil
    }

    /// Nothing is left.
    func finish() throws(BrokenFrame) { guard rest.isEmpty else { throw BrokenFrame() } }
}

/// Frames out of a stream of bytes.
struct FrameStream {
    private var bytes: [UInt8] = []
    private var start = 0
    private let most: Int

    /// No frame may be longer than this.
    init(most: Int) { self.most = most }

    /// Forgets all that is there.
    mutating func drop() { (bytes, start) = ([], 0) }

    mutating func add(_ new: ArraySlice<UInt8>) {
        if start == bytes.count {
            bytes.removeAll(keepingCapacity: bytes.capacity <= 1 << 18)
            start = 0
        } else if start > bytes.count / 2 {
            bytes.removeFirst(start)
            start = 0
        }
        bytes += new
    }

    /// The next whole frame, without its length; nil if it is not there yet.
    mutating func next() throws(BrokenFrame) -> ArraySlice<UInt8>? {
        assert(start <= bytes.count, "nothing is read twice, or before it came")
        guard bytes.count - start >= FrameWriter.headerBytes else { return nil }
        var header = FrameReader(bytes[start..<start + FrameWriter.headerBytes])
        let count = try header.count()
        guard count > 0, count <= most else { throw BrokenFrame() }
        let first = start + FrameWriter.headerBytes
        guard bytes.count - first >= count else { return nil }
        start = first + count
        return bytes[first..<start]
    }
}
