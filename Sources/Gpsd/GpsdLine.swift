/// What kind of line of gpsd this is, seen from its bytes.
///
/// Only the kinds that are needed ever reach libgps, and DEVICES never: of a list that it cannot parse, or of more
/// devices than its array holds, `gps_unpack` tries to read the same text again, for ever. It also goes on to a second
/// object on the line, so a line must have one class only. And it cannot parse how a receiver is reported gone
/// (`"activated":0`, a number where it wants a text), so that is found here.
enum GpsdLine: Equatable {
    case fix
    case sky
    case version
    /// A receiver came or changed, or, with `gone`, went away.
    case device(gone: Bool)
    /// A list of receivers.
    case devices
    /// gpsd does not have the receiver that it was asked for.
    case noSuchReceiver
    case other

    /// How the entry of a receiver begins, alone or in a list.
    private static let deviceStart: StaticString = #"{"class":"DEVICE","#

    init(_ line: borrowing Span<UInt8>) {
        if Self.matches(line, at: 0, #"{"class":"DEVICES","#) {
            self = .devices
        } else if ByteSearch.index(of: #""class":"#, in: line, from: 2) != nil {
            self = .other
        } else if Self.matches(line, at: 0, #"{"class":"TPV","#) {
            self = .fix
        } else if Self.matches(line, at: 0, #"{"class":"SKY","#) {
            // One with dilutions only would be unpacked as no satellites at all.
            self = ByteSearch.index(of: #""satellites":["#, in: line) != nil ? .sky : .other
        } else if Self.matches(line, at: 0, #"{"class":"VERSION","#) {
            self = .version
        } else if Self.matches(line, at: 0, Self.deviceStart) {
            self = .device(gone: ByteSearch.index(of: #""activated":0"#, in: line) != nil)
        } else if Self.matches(line, at: 0, #"{"class":"ERROR","message":"No such device as"#) {
            self = .noSuchReceiver
        } else {
            self = .other
        }
    }

    /// Whether a fix tells a velocity north, east and down.
    static func hasVelocity(_ line: borrowing Span<UInt8>) -> Bool {
        ByteSearch.index(of: #""velN":"#, in: line) != nil
    }

    /// Where the next entry of a list of receivers stands: a line of its own, were it alone.
    static func nextDevice(in line: borrowing Span<UInt8>, from offset: Int) -> Range<Int>? {
        guard let start = ByteSearch.index(of: deviceStart, in: line, from: offset),
            let end = ByteSearch.index(of: "}", in: line, from: start)
        else { return nil }
        return start..<end + 1
    }

    private static func matches(_ line: borrowing Span<UInt8>, at offset: Int, _ text: StaticString) -> Bool {
        guard line.count - offset >= text.utf8CodeUnitCount else { return false }
        for index in 0..<text.utf8CodeUnitCount where unsafe line[offset + index] != text.utf8Start[index] {
            return false
        }
        return true
    }
}
