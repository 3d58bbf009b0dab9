internal import Readings

/// The mean of locations: each field over those in which it is known, by the rule of the field.
///
/// Fixes of different quality are not mixed: a 3d fix is not averaged with no fix, so a `Mean` restarts with another kind of fix.
struct MeanLocation {
    private var newest: Location
    private var fields = LocationField.all.map { FieldMean($0.mean) }
    private var firstUTC: Int64?
    private var utcOffset = RunningMean()

    init(_ location: Location) {
        newest = location
        add(location)
    }

    func isOf(_ fix: Location.Fix) -> Bool { newest.fix == fix }

    mutating func add(_ location: Location) {
        assert(isOf(location.fix), "fixes of different quality are mixed")
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

private struct FieldMean {
    private let rule: LocationField.Mean
    /// The mean of the values, or of how far longitudes are from the first.
    private var mean = RunningMean()
    private var directions = DirectionMean()
    private var first: Double?

    init(_ rule: LocationField.Mean) { self.rule = rule }

    mutating func add(_ value: Double?) {
        guard let value else { return }
        switch rule {
        case .arithmetic: mean.add(value)
        case .longitude:
            let reference = first ?? value
            first = reference
            mean.add(Direction.turn(from: reference, to: value))
        case .direction: directions.add(value)
        case .newest: break
        }
    }

    var value: Double? {
        switch rule {
        case .arithmetic, .newest: return mean.value
        case .longitude: return mean.value.map { Direction.turned((first ?? 0) + $0, from: -180) }
        case .direction: return directions.degrees
        }
    }
}
