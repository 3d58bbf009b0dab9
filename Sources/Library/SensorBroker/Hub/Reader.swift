/// A caller that waits for one reading.
struct Reader {
    let resource: ResourceName
    /// Readings measured before this are too old.
    let since: BootTime
    /// The reader is answered by this time, with whatever there is.
    let deadline: BootTime
    /// A position with a larger or unknown error is accepted only at the deadline.
    let accuracyMeters: Double?
    /// The best reading offered so far that was not accepted.
    var best: Measured?

    /// Whether a reading answers the reader at once.
    func accepts(_ measured: Measured) -> Bool {
        guard measured.timestamp >= since else { return false }
        guard let accuracyMeters, case .location(let location) = measured.measurement else { return true }
        return location.isWithin(meters: accuracyMeters)
    }

    /// Keeps the most accurate position offered so far.
    mutating func consider(_ measured: Measured) {
        guard measured.timestamp >= since else { return }
        if error(of: measured) <= best.map({ error(of: $0) }) ?? .infinity { best = measured }
    }

    private func error(of measured: Measured) -> Double {
        guard case .location(let location) = measured.measurement else { return .infinity }
        return location.inaccuracy
    }
}
