internal import Fleet
internal import Platform

/// How long readings of a stream may be gathered, so that the server takes their messages.
///
/// A message that has a number cannot be divided any more, so the broker is asked for shorter batches. Once the server takes
/// more, or it is time to look whether it does, they become longer again. What it takes may be unknown, so that is done step by
/// step: a message twice as long as one that it took can still be compressed.
struct BatchLimit {
    /// The longest batch; nil: there is no limit.
    private(set) var nanoseconds: Int64?
    /// The length of messages for which that is right.
    private var mostBytes = 0
    /// What comes before this may have been gathered before the limit.
    private var settled = Int64.min
    /// When batches may become longer.
    private var growthDue = Int64.min

    /// What a change takes at most, usually.
    private static let settlingNanoseconds = 3 * Nanoseconds.second
    /// By then, the server has answered to longer messages.
    private static let growthNanoseconds = 60 * Nanoseconds.second
    /// Below this, each reading is a message.
    private static let shortestNanoseconds: Int64 = 1_000_000
    /// Numbers are longer at times.
    private static let share = 0.75

    /// A cadence within the limit.
    func applied(to cadence: Cadence) -> Cadence {
        guard let nanoseconds, let batch = cadence.batchNanoseconds, batch > nanoseconds else { return cadence }
        return Cadence(intervalNanoseconds: cadence.intervalNanoseconds, batchNanoseconds: nanoseconds)
    }

    /// A message of batches of some length has so many bytes, of which the server takes at most some; whether the limit is new.
    mutating func notice(_ bytes: Int, most: Int, batchNanoseconds batch: Int64?, _ now: Int64) -> Bool {
        guard bytes > most, now >= settled, let batch, batch > 0 else { return false }
        let part = Self.share * Double(max(0, most)) / Double(bytes)
        let wanted = Int64(exactly: (part * Double(batch)).rounded(.down)) ?? 0
        assert(wanted < batch, "batches only become shorter")
        (nanoseconds, mostBytes) = (wanted < Self.shortestNanoseconds ? 0 : wanted, max(1, most))
        (settled, growthDue) = (now + Self.settlingNanoseconds, now + Self.growthNanoseconds)
        return true
    }

    /// The server takes messages of some length, as far as it is known: batches become longer if that is twice what it took.
    mutating func grow(_ most: Int, wantedNanoseconds wanted: Int64?, _ now: Int64) {
        guard let present = nanoseconds, most / 2 >= mostBytes, now >= growthDue else { return }
        let longer = max(Self.shortestNanoseconds, 2 * present)
        nanoseconds = longer < wanted ?? 0 ? longer : nil
        mostBytes *= 2
        growthDue = now + Self.growthNanoseconds
    }
}
