/// Somebody who waits for one reading.
struct Reader {
    let resource: ResourceName
    /// A reading measured before this is too old.
    let since: BootTime
    /// By then there is an answer, whatever it is.
    let deadline: BootTime
    /// Positions with a larger error, or none, will do only when time is up.
    let accuracyMeters: Double?
    /// The best of those that did not do.
    var best: Measured?

    /// Whether it need not wait any longer.
    func accepts(_ measured: Measured) -> Bool {
        guard measured.timestamp >= since else { return false }
        guard let accuracyMeters, case .location(let location) = measured.measurement else { return true }
        return location.isWithin(meters: accuracyMeters)
    }

    /// Keeps the most exact position that it was offered.
    mutating func consider(_ measured: Measured) {
        guard measured.timestamp >= since else { return }
        if error(of: measured) <= best.map({ error(of: $0) }) ?? .infinity { best = measured }
    }

    private func error(of measured: Measured) -> Double {
        guard case .location(let location) = measured.measurement, location.latitudeDegrees != nil else {
            return .infinity
        }
        return location.horizontalErrorMeters ?? .greatestFiniteMagnitude
    }
}

extension Location {
    /// Whether there is a position, and its error is known to be no larger than this.
    func isWithin(meters: Double) -> Bool {
        guard latitudeDegrees != nil, let error = horizontalErrorMeters else { return false }
        return error <= meters
    }
}
