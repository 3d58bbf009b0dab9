internal import Readings

/// What one line of gpsd reports, as far as the broker needs it.
enum GpsdReport: Equatable, Sendable {
    /// A TPV and the path of its receiver; the path is empty if gpsd names none.
    ///
    /// Indirect, since it has hundreds of bytes and passes through several hands.
    indirect case fix(FixReport, path: String)
    case sky(SkyReport, path: String)
    case attitude(AttitudeReport, path: String)
    /// gpsd's greeting with its release.
    case version(String)
    /// The receivers that gpsd knows.
    case receivers([Receiver])
    /// gpsd does not have the requested receiver.
    case noSuchReceiver
    /// A receiver was added, or its driver was identified.
    case receiver(Receiver)
    /// A receiver was removed.
    case receiverGone(path: String)
}

/// A TPV as libgps unpacked it: unchecked.
struct FixReport: Equatable, Sendable {
    /// When the receiver measured; nil if it did not report that.
    var time: FixTime?
    /// 0 not seen yet, 1 no fix, 2 without altitude, 3 with altitude; may be any other number.
    var mode: Int
    /// What else gpsd sent; its fix and its time are those above.
    var location = Location(fix: .noPosition)
    /// Error along the longitude.
    var eastErrorMeters: Double?
    /// Error along the latitude.
    var northErrorMeters: Double?
    /// From the reference station or another antenna.
    var baseline = BaselineReport()
}

/// A vector from another antenna or a reference station to the receiver's antenna: unchecked, and NaN for what gpsd did
/// not send.
struct BaselineReport: Equatable, Sendable {
    var northMeters = Double.nan
    var eastMeters = Double.nan
    var downMeters = Double.nan
    var lengthMeters = Double.nan
    /// Clockwise from true north.
    var headingDegrees = Double.nan

    /// Whether gpsd sent anything of it.
    var isSent: Bool {
        !(northMeters.isNaN && eastMeters.isNaN && downMeters.isNaN && lengthMeters.isNaN && headingDegrees.isNaN)
    }
}

/// An ATT of gpsd: where the antennas or the vehicle point; unchecked, and NaN for what gpsd did not send.
struct AttitudeReport: Equatable, Sendable {
    var headingDegrees = Double.nan
    var pitchDegrees = Double.nan
    var rollDegrees = Double.nan
    /// From the other antenna.
    var baseline = BaselineReport()
}

/// A SKY of gpsd: the satellites and their dilutions of precision.
struct SkyReport: Equatable, Sendable {
    /// Satellites in the solution, also those whose numbers are impossible, which are not listed.
    var used: Int
    /// Satellites in view, the same.
    var visible: Int
    /// Dilutions of precision; nil if gpsd sent no valid one.
    var horizontalDilution: Double?
    var verticalDilution: Double?
    var positionDilution: Double?
    /// The satellites in view; one with signals of two bands may be there twice.
    var satellites: [Satellite] = []
    /// False if gpsd sent the dilutions alone.
    var hasSatellites = true
}
