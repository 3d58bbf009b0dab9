internal import Readings

/// Measures how fast a device really samples, from its stamps: chips claim wrongly, and some claim nothing.
///
/// A pace counts once two stretches in succession agree on it, each of at least half a second and eight steps.
struct PaceMeter {
    private var first: Int64?
    private var steps: Int64 = 0
    private var previous: Int64?

    private static let stretchNanoseconds: Int64 = 500_000_000
    private static let stretchSteps: Int64 = 8

    /// Begins anew: the pace was changed, or stamps are missing.
    mutating func restart() { self = PaceMeter() }

    /// Takes in the stamp of a sample; returns the period that two stretches have shown, at the end of the second.
    mutating func period(with stamp: Int64) -> Int64? {
        guard let first else {
            first = stamp
            return nil
        }
        steps += 1
        let span = stamp.subtractingSaturating(first)
        guard steps >= Self.stretchSteps, span >= Self.stretchNanoseconds else { return nil }
        let period = max(span / steps, 1)
        defer { (self.first, steps, previous) = (stamp, 0, period) }
        guard let previous, Self.agree(previous, period) else { return nil }
        return previous / 2 + period / 2
    }

    /// Whether two periods differ by no more than an eighth, or another part: what is written on chips is not exact.
    static func agree(_ first: Int64, _ second: Int64, withinOneIn divisor: Int64 = 8) -> Bool {
        first.subtractingSaturating(second).magnitude <= UInt64(max(first, second, 0) / divisor)
    }
}
