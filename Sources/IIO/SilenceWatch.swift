/// When to look at a device that should have delivered and did not, and when to give its buffer up.
struct SilenceWatch {
    /// What a silence means.
    enum Verdict: Equatable {
        /// Nothing yet.
        case wait
        /// Somebody may have switched the buffer off.
        case suspicious
        /// The buffer has delivered nothing since it was started, and will not.
        case unusable
    }

    private let started: Int64
    private var heard: Int64?
    private var patience: Int64
    /// When to read next, data or not.
    private(set) var deadline: Int64

    init(startedAt instant: Int64, refillNanoseconds: Int64) {
        started = instant
        patience = Self.patience(refillNanoseconds)
        deadline = instant.addingSaturating(patience)
    }

    /// Four refills late, but no more than once a second and no less than once a minute.
    private static func patience(_ refillNanoseconds: Int64) -> Int64 {
        refillNanoseconds.clamped(to: 250_000_000...15_000_000_000) * 4
    }

    /// The device runs at another pace.
    mutating func restart(refillNanoseconds: Int64) {
        deadline = deadline.subtractingSaturating(patience)
        patience = Self.patience(refillNanoseconds)
        deadline = deadline.addingSaturating(patience)
    }

    /// Samples came.
    mutating func heard(at instant: Int64) {
        heard = instant
        deadline = instant.addingSaturating(patience)
    }

    /// Nothing came, though it was asked for at an instant.
    mutating func verdict(at instant: Int64) -> Verdict {
        guard instant >= deadline else { return .wait }
        deadline = instant.addingSaturating(patience)
        // Sensors may take seconds to power up.
        let waited = instant.subtractingSaturating(started)
        return heard == nil && waited >= 3 * patience ? .unusable : .suspicious
    }
}
