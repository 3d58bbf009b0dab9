public import Readings

/// The names of receivers.
///
/// A name must follow from the path alone: it has to be the same after a restart, in whatever order receivers come.
/// `/dev/ttyUSB0` is `location:ttyUSB0`. Of any other path, what may stand in a name is kept, and a checksum of the whole
/// is added, so that two paths do not get one name: `location:serial-by-id-usb-Maker-1a2b3c4d`.
extension ResourceName {
    /// The most that a name has behind its colon.
    private static let longestSuffix = 64

    /// The location of the receiver at a path as gpsd writes it; nil only for an empty path.
    public static func location(ofReceiver path: String) -> ResourceName? {
        let node = path.hasPrefix("/dev/") ? path.dropFirst(5) : path[...]
        if path.hasPrefix("/dev/"), let name = ResourceName("location:\(node)") { return name }
        guard !path.isEmpty else { return nil }
        let sum = checksum(path)
        let kept = node.utf8.prefix(longestSuffix - 9).map { mayStand($0) ? $0 : UInt8(ascii: "-") }
        return ResourceName("location:\(String(decoding: kept, as: UTF8.self))-\(sum)")
    }

    private static func mayStand(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    /// FNV-1a in eight digits.
    private static func checksum(_ text: String) -> String {
        let sum = text.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
        let digits = String(sum, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}
