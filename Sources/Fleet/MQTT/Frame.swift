/// Messages between a program and the process of its connection: a length of four bytes, little-endian as all numbers, then a
/// kind, then its fields. What is read is checked as a stranger's: no length is believed before its bytes are there, nothing
/// may be left over, and a value has one form.

/// A frame that cannot be.
struct BrokenFrame: Error, Equatable {}

/// What is sent as a frame.
protocol FrameMessage {
    /// Writes the whole frame behind others.
    func append(to frames: inout [UInt8])
}

/// A value that a frame can have.
protocol FrameField {
    /// Writes it behind what a frame has so far.
    func append(to frame: inout [UInt8])
}

/// Writes frames.
enum FrameWriter {
    /// The bytes of the length.
    static let headerBytes = 4

    /// Writes a whole frame of a kind behind others, with its fields in their order.
    static func append<each Field: FrameField>(
        _ kind: UInt8, _ field: repeat each Field, to frames: inout [UInt8]
    ) {
        let start = frames.count
        frames += [0, 0, 0, 0, kind]
        for field in repeat each field { field.append(to: &frames) }
        let count = UInt32(clamping: frames.count - start - headerBytes)
        for index in 0..<headerBytes { frames[start + index] = UInt8(count >> UInt32(8 * index) & 255) }
    }
}

extension UInt8: FrameField {
    func append(to frame: inout [UInt8]) { frame.append(self) }
}

extension Bool: FrameField {
    func append(to frame: inout [UInt8]) { frame.append(self ? 1 : 0) }
}

extension UInt32: FrameField {
    func append(to frame: inout [UInt8]) {
        for shift in stride(from: UInt32(0), to: 32, by: 8) { frame.append(UInt8(self >> shift & 255)) }
    }
}

extension Int32: FrameField {
    func append(to frame: inout [UInt8]) { UInt32(bitPattern: self).append(to: &frame) }
}

extension [UInt8]: FrameField {
    func append(to frame: inout [UInt8]) {
        UInt32(clamping: count).append(to: &frame)
        frame += self
    }
}

extension String: FrameField {
    func append(to frame: inout [UInt8]) {
        UInt32(clamping: utf8.count).append(to: &frame)
        frame += utf8
    }
}

/// A value that may be absent.
extension Optional: FrameField where Wrapped: FrameField {
    func append(to frame: inout [UInt8]) {
        (self != nil).append(to: &frame)
        if let self { self.append(to: &frame) }
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
        for shift in stride(from: UInt32(0), to: 32, by: 8) { number |= UInt32(try byte()) << shift }
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
