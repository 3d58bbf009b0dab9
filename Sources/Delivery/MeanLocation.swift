internal import Glibc
internal import Readings

/// The mean of locations: each field over those in which it is known, by the rule of the field.
///
/// Fixes of different quality are not mixed: a 3d fix is not averaged with no fix, so the mean restarts with another kind of fix.
struct MeanLocation {
    private var newest: Location
    /// One for each field.
    private var fields = LocationField.all.map { FieldMean($0.mean) }
    private var firstUTC: Int64?
    private var utcOffset = RunningMean()

    init(_ location: Location) {
        newest = location
        add(location)
    }

    mutating func add(_ location: Location) {
        guard location.fix == newest.fix else {
            self = MeanLocation(location)
            return
        }
        newest = location
        for (index, field) in LocationField.all.enumerated() { fields[index].add(field.value(of: location)) }
        addTime(location.utcMicroseconds)
    }

    /// The mean so far; what has no mean, such as satellites and leap seconds, is the newest.
    var value: Location {
        var mean = newest
        for (index, field) in LocationField.all.enumerated() where field.mean != .newest {
            field.put(fields[index].value, into: &mean)
        }
        if let firstUTC, let offset = utcOffset.value {
            let (sum, overflow) = firstUTC.addingReportingOverflow(Int64(exactly: offset.rounded()) ?? 0)
            mean.utcMicroseconds = overflow ? firstUTC : sum
        }
        return mean
    }

    private mutating func addTime(_ microseconds: Int64?) {
        guard let microseconds else { return }
        let reference = firstUTC ?? microseconds
        firstUTC = reference
        utcOffset.add(Double(microseconds.subtractingReportingOverflow(reference).partialValue))
    }
}

/// The mean of one field of a location.
private struct FieldMean {
    private let rule: LocationField.Mean
    /// The mean of the values, of longitudes without a jump, or of the eastern parts of directions.
    private var mean = RunningMean()
    private var north = RunningMean()
    private var first: Double?

    init(_ rule: LocationField.Mean) { self.rule = rule }

    mutating func add(_ value: Double?) {
        guard let value else { return }
        switch rule {
        case .arithmetic: mean.add(value)
        case .longitude:
            let reference = first ?? value
            first = reference
            mean.add(reference + Self.wrapped(value - reference))
        case .direction:
            let radians = value * .pi / 180
            mean.add(sin(radians))
            north.add(cos(radians))
        case .newest: break
        }
    }

    var value: Double? {
        switch rule {
        case .arithmetic, .newest: return mean.value
        case .longitude: return mean.value.map(Self.wrapped)
        case .direction:
            guard let east = mean.value, let north = north.value, (east * east + north * north) > 1e-12 else {
                return nil
            }
            let degrees = atan2(east, north) * 180 / .pi
            return degrees < 0 ? degrees + 360 : degrees
        }
    }

    private static func wrapped(_ degrees: Double) -> Double {
        if degrees > 180 { return degrees - 360 }
        return degrees < -180 ? degrees + 360 : degrees
    }
}
