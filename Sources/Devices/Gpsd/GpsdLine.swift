/// The class of a line of gpsd, read from its bytes.
///
/// Only the classes that are needed reach libgps, and DEVICES never does: given a list that it cannot parse, or one
/// with more devices than its array holds, `gps_unpack` reads the same text again for ever. It also continues with a
/// second object on the line, so a line must have one class only. And it cannot parse the report of a removed receiver
/// (`"activated":0`, a number where it expects a text), so that is detected here.
enum GpsdLine: Equatable {
    case fix
    case sky
    /// A SKY with the dilutions of precision alone.
    case dilutions
    case attitude
    case version
    /// A receiver was added or changed, or, with `gone`, removed.
    case device(gone: Bool)
    /// A list of receivers.
    case devices
    /// gpsd does not have the requested receiver.
    case noSuchReceiver
    case other

    /// The beginning of a receiver's entry, alone or in a list.
    private static let deviceStart: StaticString = #"{"class":"DEVICE","#

    private static let satellitesStart: StaticString = #""satellites":["#

    init(_ line: borrowing Span<UInt8>) {
        if Self.begins(line, #"{"class":"DEVICES","#) {
            self = .devices
        } else if ByteSearch.index(of: #""class":"#, in: line, from: 2) != nil {
            self = .other
        } else if Self.begins(line, #"{"class":"TPV","#) {
            self = .fix
        } else if Self.begins(line, #"{"class":"SKY","#) {
            // libgps would unpack a SKY with dilutions only as no satellites at all.
            self = ByteSearch.index(of: Self.satellitesStart, in: line) != nil ? .sky : .dilutions
        } else if Self.begins(line, #"{"class":"ATT","#) {
            self = .attitude
        } else if Self.begins(line, #"{"class":"VERSION","#) {
            self = .version
        } else if Self.begins(line, Self.deviceStart) {
            self = .device(gone: ByteSearch.index(of: #""activated":0"#, in: line) != nil)
        } else if Self.begins(line, #"{"class":"ERROR","message":"No such device as"#) {
            self = .noSuchReceiver
        } else {
            self = .other
        }
    }

    /// Whether a fix has a velocity in the directions north, east and down.
    static func hasVelocity(_ line: borrowing Span<UInt8>) -> Bool {
        ByteSearch.index(of: #""velN":"#, in: line) != nil
    }

    /// The next entry of a list of receivers, as if it were a line of its own.
    static func nextDevice(in line: borrowing Span<UInt8>, from offset: Int) -> Range<Int>? {
        guard let start = ByteSearch.index(of: deviceStart, in: line, from: offset),
            let end = ByteSearch.index(of: "}", in: line, from: start)
        else { return nil }
        return start..<end + 1
    }

    /// The list of satellites of a sky, in parts of at most so many entries; nil if there is none.
    static func satellites(in line: borrowing Span<UInt8>, partsOf most: Int) -> [Range<Int>]? {
        guard let key = ByteSearch.index(of: satellitesStart, in: line),
            let end = ByteSearch.index(of: "]", in: line, from: key)
        else { return nil }
        var start = key + satellitesStart.utf8CodeUnitCount
        var parts: [Range<Int>] = []
        var entries = 0
        for index in start..<max(start, end) where line[index] == UInt8(ascii: "}") {
            entries += 1
            guard entries % most == 0 else { continue }
            parts.append(start..<index + 1)
            // After the comma.
            start = min(index + 2, end)
        }
        return start < end ? parts + [start..<end] : parts
    }

    private static func begins(_ line: borrowing Span<UInt8>, _ text: StaticString) -> Bool {
        guard line.count >= text.utf8CodeUnitCount else { return false }
        for index in 0..<text.utf8CodeUnitCount where unsafe line[index] != text.utf8Start[index] {
            return false
        }
        return true
    }
}
