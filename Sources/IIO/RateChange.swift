internal import Readings

/// A change of a device's pace while samples flow.
struct RateChange {
    /// When it was begun, on the clock of the stamps.
    let at: Int64
    let periodNanoseconds: Int64

    /// Whether samples may have been lost between the last stamp of before it and the first of after it.
    ///
    /// Nobody knows how many: some chips begin a sample at once, others finish the one that they are at. So what is longer
    /// than a new period is told, but for just an old one, and what is missing of the old pace.
    func mayHaveCost(from last: Int64, to first: Int64, before oldPeriod: Int64) -> Bool {
        let isFinished =
            first.subtractingSaturating(last).subtractingSaturating(oldPeriod).magnitude <= oldPeriod.magnitude / 50
        return !isFinished
            && (first.subtractingSaturating(max(last, at)).isJump(over: periodNanoseconds)
                || at.subtractingSaturating(last).isJump(over: oldPeriod))
    }
}

extension Int64 {
    /// Whether a step is too long for a period, by more than stamps differ.
    func isJump(over expected: Int64) -> Bool { subtractingSaturating(expected) > expected / 2 }
}
