/// A receiver as gpsd names it.
struct Receiver: Equatable, Sendable {
    /// Its device node or address: `/dev/ttyUSB0`.
    var path: String
    /// gpsd's driver for it: `u-blox`; empty while gpsd is still finding out.
    var driver: String

    /// More than any gpsd has; a broken one could name new ones for ever.
    static let mostRemembered = 16
}
