internal import Devices

/// A receiver as gpsd names it.
struct Receiver: Equatable, Sendable {
    /// Its device node or address: `/dev/ttyUSB0`.
    var path: String
    /// gpsd's driver for it: `u-blox`; empty while gpsd is still finding out.
    var driver: String

    /// In words: `/dev/ttyUSB0 (u-blox)`.
    var words: String {
        if path.isEmpty { return "no receiver" }
        return driver.isEmpty ? printable(path) : "\(printable(path)) (\(printable(driver)))"
    }

    /// More than any gpsd has; a broken one could name new ones for ever.
    static let mostRemembered = 16

    /// Whether a path may be that of a receiver: gpsd counts clocks and sources of corrections among its devices too.
    static func mayMeasure(_ path: String) -> Bool {
        !path.isEmpty && !["/dev/pps", "ntrip://", "dgpsip://"].contains { path.hasPrefix($0) }
    }
}
