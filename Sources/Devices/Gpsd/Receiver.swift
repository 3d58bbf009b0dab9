internal import Devices
public import Readings

/// A receiver, as gpsd describes it.
struct Receiver: Equatable, Sendable {
    /// The receiver's device node or address: `/dev/ttyUSB0`.
    var path: String
    /// gpsd's driver for it, such as `u-blox`; empty until gpsd has identified it.
    var driver: String

    /// As text, such as `/dev/ttyUSB0 (u-blox)`.
    var words: String {
        if path.isEmpty { return "no receiver" }
        return driver.isEmpty ? printable(path) : "\(printable(path)) (\(printable(driver)))"
    }

    /// More than any gpsd has; a broken one could report new paths for ever.
    static let mostRemembered = 16

    /// Whether a path can be a receiver's: gpsd lists clocks and sources of corrections as devices too.
    static func mayMeasure(_ path: String) -> Bool {
        !path.isEmpty && !["/dev/pps", "ntrip://", "dgpsip://"].contains { path.hasPrefix($0) }
    }
}

/// The receivers of gpsd, and which of them have not been reported to the broker.
///
/// Pure. A single receiver is not reported, since it is the best one already. From the second on, each is reported
/// once, and remains known even after it is removed, since its resource remains.
struct ReceiverList: Sendable {
    private var paths: [String] = []
    private var reportedCount = 0

    mutating func take(_ report: GpsdReport) {
        switch report {
        case .version, .noSuchReceiver: break
        case .fix(_, let path), .sky(_, let path), .attitude(_, let path): add(path)
        case .receiver(let receiver): add(receiver.path)
        case .receivers(let receivers):
            if reportedCount == 0 { paths = [] }
            for receiver in receivers { add(receiver.path) }
        case .receiverGone(let path): if reportedCount == 0 { paths.removeAll { $0 == path } }
        }
    }

    /// Returns the paths that have not been reported.
    mutating func takeUnreported() -> ArraySlice<String> {
        guard paths.count > 1 else { return [] }
        defer { reportedCount = paths.count }
        return paths[reportedCount...]
    }

    private mutating func add(_ path: String) {
        guard paths.count < Receiver.mostRemembered, Receiver.mayMeasure(path), !paths.contains(path) else { return }
        paths.append(path)
    }
}

/// Names of receivers.
///
/// A name is derived from the path alone, so that it is the same after a restart, in whatever order receivers appear.
/// `/dev/ttyUSB0` is `location:ttyUSB0`. Of any other path, the characters allowed in a name are kept, and a checksum
/// of the whole path is added, so that two paths do not get the same name: `location:serial-by-id-usb-Maker-1a2b3c4d`.
extension ResourceName {
    /// The longest part of a name after its colon.
    private static let longestSuffix = 64

    /// The resource of the receiver at a path; nil only for an empty path.
    public static func location(ofReceiver path: String) -> ResourceName? {
        let node = path.hasPrefix("/dev/") ? path.dropFirst(5) : path[...]
        if path.hasPrefix("/dev/"), let name = ResourceName("location:\(node)") { return name }
        guard !path.isEmpty else { return nil }
        let sum = checksum(path)
        let kept = node.utf8.prefix(longestSuffix - 9).map { $0.mayStandInSuffix ? $0 : UInt8(ascii: "-") }
        return ResourceName("location:\(String(decoding: kept, as: UTF8.self))-\(sum)")
    }

    /// FNV-1a as eight hexadecimal digits.
    private static func checksum(_ text: String) -> String {
        let sum = text.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
        let digits = String(sum, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}
