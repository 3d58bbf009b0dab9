internal import Readings

extension Sample {
    /// Drops the list of satellites, which may be longer than all the rest, before the sample is kept for clients that do not
    /// ask for the list.
    mutating func dropSatellites() {
        guard case .location(var location) = measurement, location.satellites != nil else { return }
        location.satellites = nil
        measurement = .location(location)
    }
}
