/// What kind of line of gpsd this is, seen from its bytes.
///
/// Only the kinds that are needed ever reach libgps, and of DEVICES only what it survives: with more devices than its
/// array holds, `gps_unpack` loops for ever. It also cannot parse how a receiver is reported gone (`"activated":0`, a
/// number where it wants a text), so that is found here.
enum GpsdLine: Equatable {
    case fix
    case sky
    case version
    /// A receiver came or changed, or, with `gone`, went away.
    case device(gone: Bool)
    /// The list of receivers, with at most so many in it.
    case devices(atMost: Int)
    case other

    init(_ line: borrowing Span<UInt8>) {
        if Self.begins(line, with: #"{"class":"TPV","#) {
            self = .fix
        } else if Self.begins(line, with: #"{"class":"SKY","#) {
            // One with dilutions only would be unpacked as no satellites at all.
            self = Self.contains(line, #""satellites":["#) ? .sky : .other
        } else if Self.begins(line, with: #"{"class":"VERSION","#) {
            self = .version
        } else if Self.begins(line, with: #"{"class":"DEVICE","#) {
            self = .device(gone: Self.contains(line, #""activated":0"#))
        } else if Self.begins(line, with: #"{"class":"DEVICES","#) {
            self = .devices(atMost: Self.count(of: UInt8(ascii: "{"), in: line) - 1)
        } else {
            self = .other
        }
    }

    private static func begins(_ line: borrowing Span<UInt8>, with text: StaticString) -> Bool {
        matches(line, at: 0, text)
    }

    private static func contains(_ line: borrowing Span<UInt8>, _ text: StaticString) -> Bool {
        for offset in 0..<line.count where matches(line, at: offset, text) { return true }
        return false
    }

    private static func matches(_ line: borrowing Span<UInt8>, at offset: Int, _ text: StaticString) -> Bool {
        guard line.count - offset >= text.utf8CodeUnitCount else { return false }
        for index in 0..<text.utf8CodeUnitCount where unsafe line[offset + index] != text.utf8Start[index] {
            return false
        }
        return true
    }

    private static func count(of byte: UInt8, in line: borrowing Span<UInt8>) -> Int {
        var count = 0
        for index in 0..<line.count where line[index] == byte { count += 1 }
        return count
    }
}
