internal import Readings

/// The properties of a simulated device, good and bad.
struct DeviceTraits: Equatable, Sendable {
    let seed: UInt64
    var kind: Kind
    /// The other kinds that it measures.
    var otherKinds: [Kind] = []
    var kinds: [Kind] { [kind] + otherKinds }
    /// How long a call waits for a sample.
    var patience: Int64
    var offered: OfferedIntervals
    /// Its rate without a demand, and the unit of the scenario's times.
    var usualPeriod: Int64
    /// The drift of its clock against the host's.
    var drift: Double
    /// Jitter, as a part of a period, from -1 to 1 times this.
    var jitter: Double
    /// The time from the measurement to the hand-over.
    var delay: Int64
    /// What a chip makes of the rate that is set; 1: exactly that.
    var misreading: Double
    /// How late the broker's timer may fire.
    var timerLateness: Int64
    /// Whether it reports its pace.
    var tellsPeriod: Bool
    /// How long it stays open when nobody asks for it.
    var grace: Int64
    /// Whether it hands samples over in batches if allowed.
    var usesLatency: Bool
    /// Whether it hands over samples that follow one another as runs; all else is the same as without that.
    var yieldsRuns: Bool { seed % 3 == 1 }

    init(_ dice: inout Dice, seed: UInt64) {
        self.seed = seed
        let milliseconds: Int64 = 1_000_000
        kind = dice.oneIn(4) ? .location : .acceleration
        let period =
            milliseconds
            * (kind == .location
                ? dice.pick([100, 200, 1_000, 1_000]) : dice.pick([1, 2, 5, 8, 10, 10, 16, 20, 40, 100, 1_000]))
        usualPeriod = period
        switch dice.between(0, 2) {
        case 0: offered = .discrete([1, 2, 4, 5, 10, 20, 80].map { period * $0 / 2 })
        case 1: offered = .range(shortestNanoseconds: period / 2, longestNanoseconds: period * 50)
        default: offered = .fixed(shortestNanoseconds: period)
        }
        drift = dice.oneIn(2) ? 0 : Double(dice.between(-20, 20)) / 1_000
        jitter = dice.oneIn(3) ? 0 : Double(dice.between(1, 20)) / 100
        delay = dice.oneIn(2) ? 0 : dice.span(1_000, period)
        misreading = dice.oneIn(4) ? dice.pick([0.5, 0.96, 1.04]) : 1
        timerLateness = dice.oneIn(2) ? 0 : dice.span(1_000, 5_000_000)
        tellsPeriod = !dice.oneIn(6)
        usesLatency = dice.oneIn(3)
        grace = dice.oneIn(2) ? 0 : dice.span(period, period * 200)
        patience = 3_600_000_000_000
        // One seed in four; all other random numbers are the same as without it.
        guard kind == .acceleration, seed % 4 == 2 else { return }
        otherKinds = [.angularVelocity]
        patience = period * 100
    }
}
