internal import Readings

/// How other formats write how a position was found; a fix of which nothing is known counts as an ordinary one.
struct FixQuality {
    /// In GGA of NMEA 0183.
    let quality: String
    /// In RMC.
    let mode: String
    /// `NavSatStatus` of ROS: 0 without corrections, 1 with those of satellites, 2 with those of a ground station.
    let ros: Int8
    /// In GPX, if it has a word for it.
    let gpx: String?

    /// What a quality in GGA means; gpsd reports nothing of an ordinary fix, and neither does this.
    static func status(quality: String) -> Location.Status? {
        let statuses: [Location.Status?] = [
            nil, .dgps, .precise, .rtkFixed, .rtkFloat, .deadReckoning, .timeOnly, .simulated,
        ]
        return Int(quality).flatMap { statuses.indices.contains($0 - 1) ? statuses[$0 - 1] : nil }
    }

    /// The quality of a location with a fix.
    init(_ location: Location) {
        (quality, mode, ros, gpx) =
            switch location.status {
            // What a receiver reports of satellites with dead reckoning.
            case nil, .autonomous, .gnssDeadReckoning: ("1", "A", 0, nil)
            // A ground station has a number.
            case .dgps: ("2", "D", location.correctionStation == nil ? 1 : 2, "dgps")
            case .precise: ("3", "P", 0, "pps")
            case .rtkFixed: ("4", "R", 2, "dgps")
            case .rtkFloat: ("5", "F", 2, "dgps")
            case .deadReckoning: ("6", "E", 0, nil)
            case .timeOnly: ("7", "M", 0, nil)
            case .simulated: ("8", "S", 0, nil)
            }
    }
}
