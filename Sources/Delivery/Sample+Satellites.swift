internal import Readings

extension Sample {
    /// The same without the list of satellites, which may be longer than all the rest: for who keeps it and will not tell it.
    var withoutSatellites: Sample {
        guard case .location(var location) = measurement, location.satellites != nil else { return self }
        location.satellites = nil
        return Sample(sequence: sequence, timestamp: timestamp, measurement: .location(location))
    }
}
