internal import Motion
internal import Readings

/// How far magnetic north is east of true north, by the World Magnetic Model, where the host was last.
struct Declination {
    private enum Known {
        /// The receiver has reported nothing yet.
        case nothing
        case noPosition
        case field(EarthField, seen: BootTime)
        case otherDate
    }

    private var known = Known.nothing

    /// A car drives 100 km in that time, and the declination changes by a degree.
    private static let longestNanoseconds: Int64 = 3_600_000_000_000

    /// Takes a position of the receiver; without a time of its own, the host's clock counts.
    mutating func take(_ location: Location, at time: BootTime, clockSeconds: Double) {
        guard location.fix != .noPosition, let latitude = location.latitudeDegrees,
            let longitude = location.longitudeDegrees
        else {
            // It goes on for a while from where it was.
            if case .nothing = known { known = .noPosition }
            return
        }
        let place = WorldMagneticModel.Place(
            latitudeDegrees: latitude, longitudeDegrees: longitude,
            heightMeters: location.ellipsoidHeightMeters ?? location.altitudeMeters ?? 0)
        let seconds = location.utcMicroseconds.map { Double($0) / 1_000_000 } ?? clockSeconds
        let year = WorldMagneticModel.year(unixSeconds: seconds)
        known = WorldMagneticModel.field(at: place, year: year).map { .field($0, seen: time) } ?? .otherDate
    }

    /// In degrees, at a time; nil: it is not known.
    func degrees(at time: BootTime) -> Double? {
        guard case .field(let field, let seen) = known, field.bearsCompass, isRecent(seen, time) else { return nil }
        return field.declinationDegrees
    }

    /// Whether the receiver has reported a position, or that it has none.
    var isAsked: Bool { if case .nothing = known { false } else { true } }

    /// Why it is not known at a time; nil: it is, or the receiver has reported nothing yet.
    func absence(at time: BootTime) -> String? {
        switch known {
        case .nothing: nil
        case .noPosition: "no place is known: location has no position"
        case .otherDate: "the World Magnetic Model is not of this date"
        case .field(_, let seen) where !isRecent(seen, time):
            "no place is known: location has had no position for an hour"
        case .field(let field, _): field.bearsCompass ? nil : "a magnetic pole is too near for a compass"
        }
    }

    private func isRecent(_ seen: BootTime, _ time: BootTime) -> Bool { time - seen < Self.longestNanoseconds }
}
