/// A caller that waits for one reading.
struct Reader {
    let resource: ResourceName
    /// Readings measured before this are too old.
    let since: BootTime
    /// No reading that is measured later is awaited: the reader is answered by this time with whatever there is.
    let deadline: BootTime
    /// The broker's answer, which has what there is, is awaited until then if that is later.
    var answerBy: BootTime?
    /// A position with a larger or unknown error is accepted only at the deadline.
    let accuracyMeters: Double?
    /// The best reading offered so far that was not accepted.
    var best: Measured?

    /// When its time is up.
    var end: BootTime { best == nil ? max(deadline, answerBy ?? deadline) : deadline }

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
